package view

import (
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

// A column that decides is named with its share; units and kinds count where Auto left the columns, and
// differ in spread.
func TestDeciding(t *testing.T) {
	t.Parallel()
	// The columns vary by 1 and -1 times these, about 20.
	of := func(spreads ...float64) *scale.Columns {
		var data []float64
		for _, sign := range []float64{1, -1, 1, -1} {
			for _, v := range spreads {
				data = append(data, 20+sign*v)
			}
		}
		return scale.ColumnsOf(data, len(spreads), nil, nil)
	}
	for _, c := range []struct {
		columns      *scale.Columns
		names, units string
		left         bool
		want         string
		column       int
	}{
		{of(1, 9, 2), "a,b,c", "", false,
			"column b has 94 % of the variance, and so most of the weight in the fit", 1},
		{of(1e300, 1, 1e-300), "a,b,c", "", true, "column a has more than 99 % of the variance, and", 0},
		{of(4, 0, 0), "a,b,c", "", true, "", 0},
		{of(4, 4, 3), "t (°C),p (hPa),w_kg", "", true, "", 0},
		{of(.3, 4, 4), "t (°C),p (hPa),w_kg", "", true, "columns are in different units (°C, hPa, kg) and " +
			"left as they are: column p (hPa) has 50 % of the variance", 1},
		{of(.3, 4, 4), "t (°C),p (hPa),w_kg", "", false, "", 0},
		{of(.3, 4.5, 4.5), "a (mm),b (mm),c_mm", "", true, "", 0},
		{of(.3, 4.5, 4.5), "a (worst),b (mean),c_d", "", true, "", 0},
		{of(1, 2, 2), "a_%,b_mm,c_m", "", true, "columns are in different units (%, mm) and left", 1},
		{of(.3, 4, 4.5), "a,b,c", "mm,,EUR", true, "columns are in different units (mm, EUR)", 2},
		{of(.3, 4, 4), "a,b,c", "", true, "whole numbers and numbers with decimals are left as they are, " +
			"and their standard deviations differ by a factor of 13: column b has 50 %", 1},
		{of(1, 14, 14), "a,b,c", "", true, "", 0},
	} {
		var units []string
		if c.units != "" {
			units = strings.Split(c.units, ",")
		}
		names := strings.Split(c.names, ",")
		text, column := Deciding(c.columns, &table.Head{Names: names, Units: units}, names, c.left)
		if !strings.HasPrefix(text, c.want) || (text == "") != (c.want == "") ||
			text != "" && column != c.column {
			t.Errorf("%s %+v: %q, column %d", c.names, c.columns, text, column)
		}
	}
	// Two of many columns share the variance, which is not all of it.
	wide := slices.Repeat([]float64{.1}, scale.ManyColumns)
	wide[0] = .001
	for large, want := range map[float64]string{18: "more than 99", 1.25: "84"} {
		wide[3], wide[7] = large, large
		text, _ := Deciding(of(wide...), &table.Head{Names: make([]string, len(wide))},
			strings.Split(strings.Repeat("a,b,c,d,e,f,g,h,", len(wide)/8), ","), true)
		if !strings.HasPrefix(text, "columns d, h have "+want+" % of the variance; 64 columns or more") {
			t.Errorf("two columns of %g: %q", large, text)
		}
	}
	// A column of whole numbers that is seldom more than 0 may be one of decimals.
	var data []float64
	for i := range 400 {
		data = append(data, float64(i%200/199), 30*float64(i%7)+.5, 30*float64(i%5)+.25)
	}
	names := []string{"a", "b", "c"}
	if text, _ := Deciding(scale.ColumnsOf(data, 3, nil, nil), &table.Head{Names: names}, names,
		true); text != "" {
		t.Error(text)
	}
}
