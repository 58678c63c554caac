package table

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// linesOf repeats a line n times. In it %d is the number of the line, and $ a number of few values.
func linesOf(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("%d", fmt.Sprint(i), "$", fmt.Sprint(i*i%7+1)).Replace(line) + "\n")
	}
	return b.String()
}

// TestTrade reads kinds of files that look like others. want is part of the error, or of names, ids and
// notes.
func TestTrade(t *testing.T) {
	t.Parallel()
	taxa := strings.Fields("Abra.alba Nephtys.cirrosa Spio.filicornis Capitella.spp. Magelona.sp. " +
		"Ophelia.borealis " +
		"Bathyporeia.elegans Scoloplos.armiger Thyasira.flexuosa")
	species := `"","Stn1","Stn2","Stn3","Stn4","Stn5"` + "\n"
	for i, name := range taxa {
		species += fmt.Sprintf("%s,%d,%d,3,%d,1\n", name, i%4, i*i%5, 9-i)
	}
	sparse := ",West,East,Old,New,Far\n"
	for i, name := range taxa {
		sparse += fmt.Sprintf("%s,0,%d,0,1,%d\n", name, i*i%5, i%2)
	}
	indels := "MutationType"
	for i := range 6 {
		indels += fmt.Sprintf("\tPD40%02da", i)
	}
	indels += "\n" + linesOf(9, "%d:Del:C:0\t$\t2\t$\t4\t1\t$")
	panel, several := "", "" // which is asked about, unless there are several values
	for i := range 20 {
		panel += fmt.Sprintf("L%d,%d,%d.5,0%d\n", i/5, 2015+i%5, i*i%7, i/5)
		several += fmt.Sprintf("L%d,%d,%d.5,%d\n", i/5, 2015+i%5, i*i%7, i*i%11)
	}
	openAQ := "site,day,lat,lon,parameter,units,value\n"
	for i := range 24 {
		parameter := i % 3
		openAQ += fmt.Sprintf("A,2023-03-%02d,35.1,-106.5,%s,%d g,%d.5\n", 1+i/3,
			[3]string{"pm25", "o3", "no2"}[parameter], parameter, i*i%11)
	}
	pollen := ""
	for i := range 36 {
		name := [3]string{"Al,Alnus", "Hassel,Corylus", "Björk,Betula"}[i%3]
		pollen += fmt.Sprintf("2008-02-%02d,%s,%s,%d,1.2\n", 1+i/6, [2]string{"A", "B"}[i/3%2], name, i*i%11)
	}
	layers := ",p2,p3,p4,p5,p6\n"
	for i, name := range strings.Fields("Acer_campestre_t Acer_platanoides_t Fraxinus_excelsior_s " +
		"Hedera_helix_t " +
		"Ulmus_minor_t Quercus_sp._t Tilia_cordata_s Ulmus_glabra_s Carpinus_betulus_s") {
		layers += fmt.Sprintf("%s,%d,0.2,0,%d,1\n", name, i*i%5, 9-i)
	}
	row := func(name, value string) string { return name + strings.Repeat(","+value, 6) + "\n" }
	sections := row("Tissue", "Liver") + "Mouse,WT,WT,WT,ob,ob,ob\n" + row("Time", "240") +
		linesOf(4, "P%d,1,2,4,3.%d,$,1")
	lineage := func(genus string) string { return "Bacteria;Firmicutes;Clostridia;" + genus + ",$,1,%d,4,$,1\n" }
	lineages := linesOf(1, "Taxa,606.wt.f,786.wt.m,773.tg,397.fl,504.wt,267\n"+
		lineage("Dorea")+lineage("")+lineage(""))
	for _, c := range [][2]string{
		{species, "names features (-transpose yes"},
		{sections, "a line below their names has classes (-transpose yes"},
		{"Accessions,lung,liver,colon,skin,bone\n" + linesOf(9, "ENSG0%d,0,$,0,4$,2"),
			"name features, not samples"},
		{"day,town,name,taxon name,n,factor\n" + pollen,
			"12 samples of column 1 (day), column 2 (town) and 3 values"},
		{"OTU,Ax,Bx,Cx,Dx,Ex\n" + linesOf(9, "%d,0,$,0,4$,2"), "such as \"0\", name features, not samples"},
		{sparse, "such as \"Abra.alba\", name features, not samples"},
		{"\t31\t7\t12\t5\t9\t4\t8\t2\n" + linesOf(9, "s%d\t$\t0\t$\t4\t0\t0\t$\t1"),
			"line 1 may be a header of numbers (31, 7, …) or a row (give -header yes or no)"},
		{"id,31,7,12\n" + linesOf(9, "s%d,$,0,$"), "line 1 may be a header of numbers (31, 7, …) or a row"},
		{"sample,wavelength,value,flag,unit\n" + linesOf(4, "a,4%d0,1.5,x,g") + linesOf(4, "b,4%d0,2.$,x,g"),
			"(wavelength); left out: column 4 (flag), column 5 (unit)"},
		{"day,town,v,one\n" + linesOf(12, "d$,t$,4%d.5,1"), "without them 1 column of numbers is left, as in a"},
		{"site,a,b\n" + linesOf(3, "p%d,nd,0.$") + "r,X,1.5\n" + linesOf(3, "q%d,0.3%d,0.$"), "of text: column 2"},
		{"sample,wavelength,v\na,400,1\na,410,2\na,420,3\nb,400.0,1\nb,410.0,3\nb,420.0,4\n",
			"the table is long: column 3 (v) becomes 2 rows of 3 columns"},
		{"mass,intensity\n" + linesOf(100, "1%d.$,31$"), "this seems to be 1 sample or channel in a column"},
		{"site,a,b\n" + linesOf(3, "p%d,nd,0.$") + linesOf(3, "q%d,0.3%d,0.$") + "r,nd,1.5\n",
			"\"nd\" in column \"a\" is not a number, 4 times (add -na nd, which counts"},
		{"site,a,b\n" + linesOf(3, "p%d,nd,0.$") + linesOf(2, "q%d,0.3%d,0.$"), "a column of text: column 2"},
		{"site,a,b\n" + linesOf(3, "p%d,X,0.$") + linesOf(3, "q%d,%d,0.$") + "r,X,1.5\n",
			"a column of text: column 2"},
		{lineages, "column 1 (Taxa) names features (-transpose yes"},
		{indels, "the table is transposed"},
		{openAQ, "the table is long: column 7 (value) becomes 8 rows of 3 columns"},
		{",gdp,gdp,gdp\nyear,2008,2009,2010\ncountry,,,\n" + linesOf(6, "Land%d,1.$,2.$,1.%d"),
			"|gdp 2008|gdp 2009|gdp 2010|"},
		{"id,a,b\nx,1,2\ny,,\nz,3,4\nw,1,3\n", "2 missing values"},
		{"Konto;Feb;Mai\n" + linesOf(6, "k%d;1.40$,00;3,5") + "k9;480,94-;40.934,06-\n",
			"[-480.94 -40934.06]"},
		{"id,a,b\n" + linesOf(12, "P%d,$,%d.5") + "Maximum,7,11.5\nSigma,2,3.1\n",
			"their ids are \"Maximum\" to \"Sigma\""},
		{"p,a,b\n" + linesOf(9, "%d / 1 .,$,%d.5"), "ids and left out: it holds text"},
		{"POINTID,pH,N\n" + linesOf(9, "4722%d53$,5.$,1.$"), "column 1 (POINTID) is taken for the rows' ids"},
		{"No;Matrikelnr.;a\n" + linesOf(9, "%d;39$3%d15;$,5") + ";;3,5\n", "column 2 (Matrikelnr.) is "},
		{"year,month,a,b\n" + linesOf(9, "20%d3,$,1.$,2.5%d"),
			"warning: column 1 (year), column 2 (month) are used as data, but may be dates or parts of them"},
		{"a,RT,Area,RT,Area\n" + linesOf(9, "$.5,$,3,1.$,%d5"),
			"warning: 4 columns have names that come twice, such as \"RT\""},
		{"id,a,b,c,Total\nx,1,2,3,6\ny,4,,1,5\nz,2,2,2,6\nw,,5,1,6\nv,1,1,9,11\n",
			"column 5 (Total) is used as data, but may be a sum of others"},
		{"s,a,b,c\n" + linesOf(9, "s%d,$,2.$,4") + "\nReferences:\n\"[1] A, B: C\"\n",
			"text after the table (\"References:\")"},
		{"s,a,b,c\n" + linesOf(9, "s%d,$,2.$,4") + "\nConfidence Level,95.0\n",
			"text after the table (\"Confidence Level,95.0\")"},
		{"Name\tLength\tEffectiveLength\tTPM\tNumReads\n" + linesOf(20, "ENST0%d\t$\t$.5\t%d.5\t1.$"),
			"this seems to be 2 samples or channels in columns"},
		{"1.5\t$\n" + linesOf(20, "%d.25\t$"), "column 1"},
		{"s,a,b\n" + linesOf(9, "s%d,$,2.5") + "s,a,b\n" + linesOf(3, "t%d,$,%d.5"),
			"(add -skip 10, which leaves that line out)"},
		{"\\begin{table}\n", "this is LaTeX"},
		{"% CPUs\n%\n@relation cpu\n@attribute a real\n@data\n1,2\n", "this is an ARFF file"},
		{"land,year,v,code\n" + panel,
			"this seems to be a long table, since its lines have a value for each of 4 samples"},
		{"year,month,measurement_type,measurement\n" + linesOf(24, "20%d,1,rain,$.5") + linesOf(24,
			"20%d,1,warm,%d.25"),
			"this seems to be a long table"},
		{"User: U,Path: C:\\A,Run: 65\n\nID1: x,\n\nRaw\n\n,1,2,3,4,5,6,7,8,9,\n" +
			linesOf(8, "A%d,1.5,$,2.$,3,%d.5,$,4,5,6"), "lines 1-6 are left out"},
		{"name,R 1_08,R 2_22,R 3_24,R 4_10,R 5_20,R 6_26\n" +
			linesOf(12, "M4%d0T19$8,$.5,$,2.$,3,%d.5,$"), "column 1 (name) names features"},
		{"land,year,v,u\n" + several, "a column of text: column 1 (land)"},
		{"s,r,r,r,r\nb,nose,nose,tail,tail\nc,x,y,x,y\n" + linesOf(9, "%d,$,2.$,3.$,%d.5"),
			"|nose x|nose y|tail x|tail y|"},
		{",A,B,A,B\nTIMESTEP,MEAN(mm),MEAN(mm),VARIANCE(mm^2),VARIANCE(mm^2)\n" + linesOf(9,
			"20%d5-01-01,$.5,$,3.$,%d.5"),
			"|A MEAN(mm)|B MEAN(mm)|A VARIANCE(mm^2)|B VARIANCE(mm^2)|"},
		{"\t1\t2\t3\t4\t5\t6\n" + linesOf(6, "A%d\t%d.5\t$\t$.5\t2\t3\t1\tabs\n\t9.5\t2\t3.5\t%d.5\t3\t1\tconc"),
			"columns of text: column 1, such as \"A0\" and \"A5\"; column 8"},
		{"a,b,c,d,e,f,g,h\n" + linesOf(9, "$.5,2,3,4,$,4"), "put empty fields where some are missing, or take out"},
		{"row m/z,rt,S_1,S_2\n" + linesOf(5, "2%d1.$,$.5,4$%d,$%d2"),
			"column 1 (row m/z) is used as data, but may tell of peaks"},
		{"samplin,stream,isotope,source,value,sd\n" + linesOf(8, "m%d,QPA,C,x,-3$,0.$") +
			linesOf(8, "m%d,QPA,N,x,1.%d,1.%d"),
			"this seems to be a long table with 2 columns of values, column 5 (value), column 6 (sd)"},
		{"sample,place,date,kind,conc\n" + linesOf(8, "%d,C$,20%d0-04-01,pico,3$0") +
			linesOf(8, "%d,C$,20%d0-04-01,nano,4$") + linesOf(8, "%d,C$,20%d0-04-01,micro,9$"),
			"this seems to be a long table, since its lines have a value for each of 8 samples"},
		{"code,metabolite,value\n" + linesOf(8, "E%d,chol,3$.5") + linesOf(8, "E%d,urea,4$") +
			"E1,urea,3\nE2,acid,4\n",
			"a second value of \"E1\" at urea in column 2 (metabolite); the first is on line 11"},
		{"gene,S_1,S_2,S_3\n" + linesOf(20, "G%d,$00,0,2$00") + linesOf(9, "H%d,$00,30$,2$00"), "|G0|G1|"},
		{"7.5,r0,4,,\n" + linesOf(9, "$.5,s%d,2.$"), "10 rows"},
		{"a,b,c,d,e,f\n" + linesOf(9, "$.5,2"), "lines have 2: put empty fields"},
		{"a,b,c,d\n" + linesOf(9, "x,$.5,2"), "lines have 3: put empty fields"},
		{"sp_code,tank,abundance\n" + linesOf(14, "sp%d,A,4$") + linesOf(3, "sp%d,B,3$\nsp%d,C,2\nsp%d,D,$"),
			"this seems to be a long table"},
		{"a b c\n" + linesOf(9, "S%d 0.$ 2.$ %d.5") + "NA 1 2 3\n", "line 1 has one name less"},
		{"# x y z\n# - --- ----\n" + linesOf(9, "S%d 0.$ 2$"), "|y|z|"},
		{layers, "column 1 names features"},
		{"day,kind,v\n" + linesOf(3, "2001-01-0$,cl$,$.5") + linesOf(3, "2001-01-0$,cl$,2.$"),
			"without them 1 column of numbers is left, as in a long table"},
		{"nr,day,kind,v\n" + linesOf(9, "n%d,2001-01-0$,cl,$.5") + linesOf(9, "m%d,2001-01-0$,pH,7.$"),
			"columns of text: column 2 (day)"},
		{"0,k,v\n" + linesOf(9, "$.5,s%d,$,,") + linesOf(9, "$,t%d,2.$"),
			"column 2 (k) is taken for the rows' ids"},
		{"%CPUs\n@relation cpu\n@data\n1,2\n%\n", "keep the lines below @data that do not begin with %"},
		{"id,Sr,2s_Sr,y_coord\n" + linesOf(9, "s%d,2.$,0.$,4$%d.5"),
			"column 3 (2s_Sr) is used as data, but may be uncertainties of the columns before them"},
		{"id,a,b,YCOO,XCOO\n" + linesOf(9, "s%d,2.$,0.$,3$.%d,4$%d.5"),
			"column 4 (YCOO), column 5 (XCOO) are used"},
		{"protein\tlen\tS1\tS2\tS3\tpeptides S1\tpeptides S2\n" +
			linesOf(12, "P%d\t30$\t%d.5E7\t$.1E7\t$.2E8\t1$\t2$"), "rows \"peptides S1\", " +
			"\"peptides S2\", \"len\" have numbers 1000 times smaller than rows"},
		{"bait\tn\tspec\tctrl\tscore\n" + linesOf(9, "b%d\t$\t$|1|0\t0|%d|2|0|$|1|2|3\t$.5"),
			"a column of text: column 3 (spec), 4 values such as \"1|1|0\""},
		{"A spectrum at air mass 1.5 by the office, see https://a.b/c\nBy its use you agree to all the terms\n" +
			linesOf(20, "28%d.5   $.3E-2"), "lines 1-2 are left out: text before the table"},
		{",Cond,pH\n" + linesOf(9, "s%d,29$%d,7.$"), "|Cond|pH|column 1"},
		{"a,b\r1.5,2\r3,4.25\r", "|a|b|"}, {"a,b\r1.5,2\n3,4.25\r", "|a|b|"},
		{strings.Repeat("Key A: some value\n", 10) + "\nid,xb,xc\n" + linesOf(6, "k%d,$.5,1.$"), "|xb|xc|"},
		{"Software Version\t3.12.08\n\n\nPlate Number\tPlate 1\nDate\t3/7/2024\nTime\t11:31:30 AM\n\n" +
			"Plate Type\t96\n\nScan:Spectrum\n\nWavelength\tA1\tA2\tA3\tA4\tA5\tA6\tA7\tA8\n" +
			"300\tOVRFLW" + strings.Repeat("\t1.5", 7) + "\n" + linesOf(12, "30%d"+strings.Repeat("\t%d.5", 8)),
			"\"OVRFLW\" in column \"A1\" is not a number"},
		{"Key A: v\nKey B: v\n\ns;a;b\n" + linesOf(12, "s%d;$.5;2.$") +
			"\nThe values are\nmeans of days\nin two years\nby the office\n",
			"text after the table"},
		{"@Relation iris\n@ATTRIBUTE a real\n@DATA\n1,2\n", "this is an ARFF file"},
		{"@relation_id,b\n1.5,2\n3,4.25\n", "|@relation_id|b|"},
		{"cell,a,b\n" + linesOf(9, "2076$7%d,$.5,2.$"),
			"column 1 (cell) is used as data, but may be classes or ids"},
		{"a,b\n" + linesOf(9, "1%d,$.5") + "nd,2.5\n", "\"nd\" in column \"a\" is not a number"},
		{"a,b\n" + linesOf(18, "%d.75,$.5") + "nd,1\ntr,2.5\nbd,3\n", "3 in column 1 (a), \"nd\", \"tr\", \"bd\""},
		{"a,dép,b\n" + linesOf(9, "$.5,0%d,2.$") + "2.5,2A,7\n1.5,2B,6\n",
			"column 2 (dép) is taken for the rows' ids"},
		{"s,a,b\n" + linesOf(9, "s%d,$,2.$") + "# in degrees\ns,a,b\n" + linesOf(9, "t%d,$,40$"),
			"a line of words among the rows, as of a header, with \"a\" (first on line 12)"},
		{"1.5,,2\n" + linesOf(9, "%d.5,,$"), "column 2 is empty and left out"},
		{"s,a,b\n" + linesOf(9, "s%d,$,2.$") + "s,a,c\n" + linesOf(9, "t%d,$,40$"),
			"a line of words among the rows, as of a header, with \"a\" (first on line 11)"},
		{strings.Repeat("% 1. Title: glass\n", 400) + "@relation g\n@data\n1,x\n2,y\n", "this is an ARFF file"},
		{"age,a,b\n" + linesOf(8, "1%d,$,2.$") + "20-21,3,1\n22-25,2,1.5\n65+,4,1\n",
			"column 1 (age) is taken for the rows' ids"},
		{"Statistik;;;\n2015;;;\nland;a;b;c\n" + linesOf(9, "L%d;$;%d5;2$"), "lines 1-2 are left out: text before"},
		{linesOf(12, "star%d %d.5 $70 G$"), "a column of text: column 4, 4 values such as \"G1\""},
		{linesOf(9, "MX%d TMAX  $ I") + linesOf(3, "MX3%d TMAX  $ I-9999"),
			"no delimiter, such as a comma or a tab, parts the lines"},
		{strings.Replace(indels, "MutationType", "Mutation.Type", 1), "the table is transposed"},
		{"#TITLE: Spectral Data\n" + linesOf(20, "%d.25,40$6"), "this seems to be 1 sample or channel in a column"},
		{"s,Plate ID,a,b\n" + linesOf(9, "s%d,%d7%d,$,2.$") + "t,272,1,3.5\n",
			"column 2 (Plate ID) is used as data, but may be classes or ids"},
		{"s,a,b\n,4.5,2\n" + linesOf(9, "s%d,$,%d.5"),
			"row 1 of 10 seems to be totals, statistics or limits, since it alone has no id"},
		{"chemical,day,lat,lon,v,unit\n" + linesOf(9, "x,%d.1.20,4$.5,-12$,$.5,g") +
			linesOf(9, "y,%d.1.20,4$.5,-12$,%d,g"),
			"each of 9 samples of column 2 (day), column 3 (lat), column 4 (lon) and 2 values of column 1 (chemical)"},
	} {
		text, want := c[0], c[1]
		d := Dialect{Guess: true, Missing: !strings.HasPrefix(text, "id,a,b\nx")}
		got, err := Read(strings.NewReader(text), "t", d)
		said := fmt.Sprint(err)
		if err == nil {
			said = "|" + strings.Join(got.Names, "|") + "|" + strings.Join(got.Notes, "|") + Count(got.Rows, "row") +
				fmt.Sprint(got.Data[len(got.Data)-min(2, len(got.Data)):])
		}
		only := func(part, of string) bool { return strings.Contains(said, part) && !strings.Contains(want, of) }
		if !strings.Contains(said, want) || only("1000 times", "1000") || only("-skip 10", "-skip") {
			t.Errorf("%.60q: %s, not %s", text, said, want)
		}
	}
}

// TestLongLeftOut: the advice for several columns of values leaves one that is read, also if a sample has one
// value of the axis only, so that the keys tell the value.
func TestLongLeftOut(t *testing.T) {
	text := "well,sample,detector,ct,limit\n" + linesOf(12, "%d,M$,d1,2%d.5,0.39") + linesOf(12,
		"5%d,M$,d2,3%d.5,0.36")
	flags := Flags(func(string) bool { return true })
	_, err := Read(strings.NewReader(text), "t", Dialect{Guess: true, Long: Yes, Words: flags})
	if err == nil || !strings.Contains(err.Error(), "2 columns of values") {
		t.Errorf("%v", err)
	}
	got, err := Read(strings.NewReader(text), "t", Dialect{Guess: true, Long: Yes, Drop: []string{"5"},
		Missing: true, Words: flags})
	if err != nil || !slices.Equal(got.Names, []string{"d1", "d2"}) || got.Data[0] != 20.5 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLegend: a line that says what marks are for has no words for missing numbers.
func TestLegend(t *testing.T) {
	text := "w,a,b,c\n" + linesOf(9, "w%d,$,2.$,4$") + "x,-1 = not counted,-2 = off scale,3\n"
	_, err := Read(strings.NewReader(text), "t", Dialect{Guess: true,
		Words: Flags(func(string) bool { return true })})
	if err == nil || strings.Contains(err.Error(), "-na") || !strings.Contains(err.Error(), "not counted") {
		t.Error(err)
	}
}

// TestCrossed: twelve countries with two indicators each are told, but not if one is missing or few are
// there, unless three indicators stand beside two columns of numbers.
func TestCrossed(t *testing.T) {
	text := "land,indicator,a,b,c,d\n" + linesOf(12, "L%d,people,$00,4%d0,$,3$") + linesOf(12,
		"L%d,growth,0.$,1.$,$,5")
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"all": {text, "2 of"}, "one is missing": {strings.Replace(text, "L3,growth", "L4,birth", 1), ""},
		"few": {"land,indicator,a,b\n" + linesOf(4, "L%d,people,$00,4%d0") +
			linesOf(4, "L%d,growth,0.$,1.$"), ""},
		"analytes": {"land,indicator,a,b\n" + linesOf(4, "L%d,people,$00,4%d0") +
			linesOf(4, "L%d,growth,0.$,1.$") + linesOf(3, "L%d,age,3$.5,4"), "3 of"},
		"sparse": {"land,indicator,a,b\n" + linesOf(12, "L%d,i%d,$00,4%d0") + linesOf(11, "L%d,i1%d,$00,4%d0") +
			linesOf(9, "L1%d,i%d,7,4%d0"), ""},
		"many columns": {"land,indicator,a,b,c,d\n" + linesOf(4, "L%d,people,$00,4%d0,$,1.$") +
			linesOf(4, "L%d,growth,0.$,1.$,$,$") + linesOf(3, "L%d,age,3$.5,4,%d.$,$"), ""},
	} {
		got, err := Read(strings.NewReader(c.text), "t", Dialect{Guess: true, Text: TextDrop, Long: No})
		if err != nil {
			t.Fatal(err)
		}
		_, told, _ := strings.Cut(strings.Join(got.Notes, ""), "each value of ")
		told = strings.TrimPrefix(told, "column 1 (land) stands beside up to ")
		if told, _, _ = strings.Cut(told, " column 2 (indicator)"); told != c.want {
			t.Errorf("%s: %q: %q", name, told, got.Notes)
		}
	}
}

// sums is a table with a column T, of the sum of two columns before it times a factor.
func sums(form string, factor float64) string {
	text := "id,q,a,b,T,c\n"
	for i := range 12 {
		a, b := float64(i*i%11)+0.5, float64(i*7%13)+0.25
		text += "s" + fmt.Sprintf(form, i, 3+i*i%7, a, b, factor*(a+b)) + "\n"
	}
	return text
}

// TestTold: notes about plates, rows of two quantities, copies and clock times, and tables near them without.
func TestTold(t *testing.T) {
	plate, clock, many := ",1,2,3,4,5,6\n", "id,dep,b\n", "kind,a,b,c\n"
	for i := range 8 {
		for k := range 2 {
			plate += fmt.Sprintf("%s,%d.25,%d,3,%d.5,1,2,%s\n", "ABCDEFGH"[i:i+1-k], i, i*i%5, 9-i,
				[]string{"abs", "conc"}[k])
		}
	}
	for i := range 30 {
		clock += fmt.Sprintf("s%d,%d%02d,%d.5\n", i, 1+i*7%22, i*i%60, i*i%11)
	}
	for i := range 25 {
		many += linesOf(3, fmt.Sprintf("k%d,%d00.$,3%d00,2$%d00", i, i*i+1, i*i, i*i))
	}
	hours := "id,dep,b\n"
	for i := range 30 {
		hours += fmt.Sprintf("s%d,%d%02d,%d.5\n", i, 1+i*i%5, i*7%60, i*i%11)
	}
	round := regexp.MustCompile(`\d\d,`).ReplaceAllString(clock, "50,")
	sizes := "kind,a,b,c\n" + linesOf(5, "abs,$.5,0.%d5,$") + linesOf(5, "conc,$%d00,3%d0,2%d00")
	behind := func(n int) string { // n more texts
		return regexp.MustCompile("(?m)^").ReplaceAllString(strings.TrimSpace(sizes), strings.Repeat("x,", n))
	}
	for _, c := range []struct{ text, note, not string }{
		{plate, "rows A to H and columns 1, 2, … look like the wells of a plate", ""},
		{strings.Replace(plate, "B,", "X,", 1), "", "a plate"},
		{strings.Replace(plate, ",1,", ",one,", 1), "", "a plate"},
		{clock, "column 2 (dep) is used as data, but may be dates", ""},
		{strings.Replace(clock, "s3,2209", "s3,2269", 1), "", "may be dates"},
		{hours, "", "may be dates"}, {round, "", "may be dates"}, {clock[:90], "", "may be dates"},
		{"id,g1,g2,NR_000005\n" + linesOf(12, "s%d,2.$,$.5,$"), "", "classes or ids"},
		{"id,g1,g2,Plate_Nr\n" + linesOf(12, "s%d,2.$,$.5,$"),
			"column 4 (Plate_Nr) is used as data, but may be cl", ""},
		{sizes, "rows with \"conc\" in column 1 (kind) have numbers 100 times as large as rows with \"abs\"", ""},
		{sizes + linesOf(6, "abs,1,90,2"), "", "100 times"},
		{"kind,a,b\n" + linesOf(5, "abs,$.5,0.%d5") + linesOf(5, "conc,$%d00,3%d0"), "", "100 times"},
		{"kind,a,b,c\n" + linesOf(5, "abs,$.5,0.%d5,$") + linesOf(2, "conc,$%d00,3%d0,2%d00"), "", "100 times"},
		{"kind,a,b,c\n" + linesOf(9, "abs,0,0,0") + linesOf(5, "conc,1,2,0"), "", "100 times"},
		{many, "", "100 times"},
		{behind(11), "rows with \"conc\" in column 12 (kind) have numbers 100 times", ""},
		{behind(12), "", "100 times"},
		{"id,a,a mean,b\n" + linesOf(9, "s%d,%d.$,%d.$,4$"),
			"column 3 (a mean) is used as data, but may be copies", ""},
		{"id,a,a mean,b\n" + linesOf(9, "s%d,%d.$,%d.$,4$") + "s,1.5,2.5,3\n", "", "copies"},
		{"id,a,a mean,b\n" + linesOf(9, "s%d,%d.$,%d.$,4$") + "s,,2.5,3\nt,2.5,,3\n", "", "copies"},
		{"id,a,b,c\n" + linesOf(9, "s%d,0,0,4$") + "s,1,1,3\n", "", "copies"},
		{"id,a,b,c\n" + linesOf(5, "s%d,$,$.5,3") + linesOf(5, "t%d,$.7E6,4$.5E7,3E8"), "", "1000 times smaller"},
		{"name,dname,dnum,a\n" + linesOf(12, "n%d,D$,3$7,%d.$"),
			"column 3 (dnum) is used as data, but may be codes", ""},
		{"name,dname,dnum,a\n" + linesOf(12, "n%d,D$,3$7,%d.$") + "n,D5,317,3\n", "", "be codes of"},
		{"name,dname,dnum,a\n" + linesOf(12, "n%d,D%d,3%d7,$.%d") + "n,D1,317,3\n", "", "be codes of"},
		{"name,flags,a\n" + linesOf(12, "n%d,4%d$,$.5"), "", "classes or ids"},
		{"name,qa_flag,a\n" + linesOf(12, "n%d,4%d$,$.5"), "column 2 (qa_flag) is used as data, but may be cl", ""},
		{"a,b,c,d\n" + linesOf(9, "4$,-4,-5,1\n5$,-4,$,-5"),
			"-5,-4 are the only numbers below 0, in 3 columns", ""},
		{"a,b,c,d\n" + linesOf(9, "4$,-4,-5,1\n5$,-4,$,5"), "", "only numbers below 0"},
		{"id,q,Z,b,T,c\n" + linesOf(9, "s%d,4$,0,1$%d,1$%d,2.$"),
			"column 5 (T) is used as data, but may be copies", ""},
		{"id,a,zip code\n" + linesOf(9, "s%d,4.$,3$%d"), "column 3 (zip code) is left out: its name says so", ""},
		{"a,b,c,d\n" + linesOf(9, "4$,-2,-1,2\n5$,2,$,-2"), "", "only numbers below 0"},
		{"a,b,c,d\n" + linesOf(9, "4$,-4,-5,1\n5$,-40,$,-5"), "", "only numbers below 0"},
		{"id,q,a,b,T,c\n" + linesOf(9, "s%d,4$,%d,1$%d,1$%d,2.$"), "", "sums or means"},
		{sums("%d,%d,%g,%g,%.1f,7.5", 1), "column 5 (T) is used as data, but may be sums or means", ""},
		{"id,T,a,b,c,d\n" + linesOf(9, "s%d,3%d,1%d,2$,4$,7.$") + "t,55,15,40,3,2\n", "", "sums or means"},
		{sums("%d,%d,%.1[5]f,%[3]g,%[4]g,7.5", 1), "column 3 (a) is used as data, but may be sums or means", ""},
		{sums("%d,%d,%g,%g,%.1f,7.5", 1) + "u,,1,2,3,5\n", "column 5 (T) is used as data, but may be su", ""},
		{sums("%d,%d,%g,%g,%.1f,7.5", 1) + "u,4,1,,3,5\n", "", "sums or means"},
		{sums("%d,%d,%g,%[3]g,%[3]g,7.5", 1), "", "sums or means"},
		{"id,a,b,T,c,d\n" + linesOf(9, "s%d,0.$,0.$,0.%d,4$,7.$"), "", "sums or means"},
		{"id,n,spp code\n" + linesOf(9, "s%d,4$,30$"),
			"column 3 (spp code) is used as data, but may be classes", ""},
		{sums("%d,%d,%g,%g,%.1f,7.5", 0.5), "column 5 (T) is used as data, but may be sums or means", ""},
		{sums("%d,%d,%g,%g,%.1f,7.5", 1.01), "", "sums or means"},
		{sums("%d,%d,%g,%g,%.0f9,7.5", 1), "", "sums or means"},
		{"id,Time,Age_Ma,c\n" + linesOf(9, "s%d,$.5,3$.1,4%d.$"), "column 2 (Time), column 3 (Age_Ma) are", ""},
		{"core,R2,c\n" + linesOf(10, "%d.$,$,4$.5"), "column 1 (core) is used as data, but may be times", ""},
		{"core,R2,c\n" + linesOf(9, "%d.$,$,4$.5"), "", "times"},
		{"core,R2,c\n" + linesOf(10, "%d.$,3%d.$,4$.5"), "", "times"},
		{"core,c\n" + linesOf(10, "%d.$,4$.5"), "", "times"},
		{"b,c\n" + linesOf(9, `"7,$19",$.5`), "", "classes or ids"},
		{"R1,R2,c\n" + linesOf(9, "51%d,$,4$.5") + "7,3,1\n" + linesOf(9, "52%d,$,4$.5"),
			"column 1 (R1) is used as data, but may be times, places, codes", ""},
		{"R1,R2,c\n" + linesOf(9, "51%d,$,4$.5") + "7,3,1\n1,3,1\n" + linesOf(9, "52%d,$,4$.5"), "", "codes"},
		{"z,a,b\n" + linesOf(9, `"7$119",$,%d.5`), "column 1 (z) is used as data, but may be classes or ids", ""},
		{"z,a,b\n" + linesOf(9, `7$119,$,%d.5`), "", "classes or ids"},
		{"b,c\n" + linesOf(9, `"7$119","$"`), "", "classes or ids"},
		{"b,c\n" + linesOf(9, `"7,$19","$"`), "", "classes or ids"},
		{"id,Subject,Dose,conc\n" + linesOf(9, "%d,$,1,$.%d"), "", "come again"},
		{"Time,Subject,conc,x\n" + linesOf(9, "1$,$,2$.%d,$"), "only column 3 (conc) seems to be a measurement",
			""},
		{"a,b,c\n" + linesOf(9, "$,0,4%d.5") + "99,98,3\n99,101,2\n", "99 comes 2 times", ""},
		{"n,StNum,Atnum\n" + linesOf(9, "s%d,4$,3$"), "column 2 (StNum) is used as data, but may be classes", ""},
		{",a,b\n" + linesOf(9, "7$%d,$.5,4$"), "column 1 is taken for the rows' ids and left out", ""},
		{"a,b,\n" + linesOf(9, "$,4$.5,7$%d"), "", "taken for the rows' ids"},
		{"name,a,b,c,d,e\n" + linesOf(9, "Region %d,$,4$,3,$.5,2"), "", "name features"},
		{"id,,q,a,\n,q,kg,mg,r\n" + linesOf(9, "s%d,00$,4$,$.5,3%d"), "-drop 2,3,4 leaves the", "-drop q"},
		{"id,Bmag,+-,a\n" + linesOf(9, "s%d,1$.5,0.$,4.$"),
			"column 3 (+-) is used as data, but may be uncertaint", ""},
		{"id,NO3-,a\n" + linesOf(9, "s%d,$,$.5"), "", "classes or ids"},
		{"id,treatment_mmol,a\n" + linesOf(12, "s%d,$5,$.5"),
			"column 2 (treatment_mmol) is used as data, but may", ""},
		{"day,town,v,one\n" + linesOf(12, "d$,t$,4%d.5,1"), "beside 2 columns in which values come again", ""},
		{"day,town,v,w\n" + linesOf(12, "d$,t$,4%d.5,%d.$"), "", "come again"},
		{"day,town,v\n" + linesOf(12, "d$,t%d,4%d.5"), "", "come again"},
		{"id,Xsugg,Ysugg,c\n" + linesOf(9, "s%d,$.5,3$,4%d.$"),
			"column 2 (Xsugg), column 3 (Ysugg) are used as data", ""},
		{"id,x_12,y_12,c\n" + linesOf(9, "s%d,$.5,3$,4%d.$"), "", "where or when"},
		{"id,pcb\n" + linesOf(9, "s%d,<0.0$"),
			"column 2 (pcb) is used as data, but may be limits of detection", ""},
		{"id,pcb,a\n" + linesOf(9, "s%d,<0.0$,$.5") + "t,0.3,4\n", "", "limits of detection"},
		{"id,r,f,m,RFM_Score\n" + linesOf(9, "s%d,$%d,4$,%d.$,3$1"),
			"column 5 (RFM_Score) is used as data, but may be cl", ""},
		{"cluster,a,b\n0,1.5,3\n1,2,4.5\n2,7,1\n", "column 1 (cluster) is taken for the rows' ids", ""},
		{"target,a,b\n488,2,4.5\n", "", "taken for the rows' ids"},
		{",name,a,b\n" + linesOf(9, "1%d,n%d,$.5,4$"), "column 2 (name) is taken for the rows' ids", ""},
		{"CustomerID,name,a,b\n" + linesOf(9, "1%d,n%d,$.5,4$"),
			"column 1 (CustomerID) is taken for the rows' ids", ""},
	} {
		d := Dialect{Guess: true, Text: TextDrop, Missing: true, Below: BelowHalf, Transpose: No}
		got, err := Read(strings.NewReader(c.text), "t", d)
		if err != nil {
			t.Errorf("%.40q: %v", c.text, err)
			continue
		}
		notes := strings.Join(got.Notes, "|")
		if !strings.Contains(notes, c.note) || c.not != "" && strings.Contains(notes, c.not) {
			t.Errorf("%.40q: %q", c.text, got.Notes)
		}
	}
}

// TestFew: a curve has 100 points and decimals. Lineages may come twice. A delimiter is found below blanks.
func TestFew(t *testing.T) {
	for text, want := range map[string]bool{linesOf(99, "1%d.$,31$"): false, linesOf(100, "1%d,31$"): false,
		linesOf(100, "1%d.$,31$"): true} {
		got, err := Read(strings.NewReader("mass,intensity\n"+text), "t", Dialect{Guess: true})
		if err != nil || strings.Contains(strings.Join(got.Notes, ""), "1 sample or channel") != want {
			t.Errorf("%.20q: %v, %v", text, got, err)
		}
	}
	dense := "name,a,b,c,d,e\nAbra alba,1,4,2,3,0\nSpio filiformis,2,2,1,5,3\nPinus nigra,3,1,4,2,2\n" +
		"Quercus rubra,4,5,3,1,2\nAlnus incana,2,3,5,2,1\nTilia cordata,1,2,2,4,3\n"
	for text, want := range map[string]bool{dense: false, strings.NewReplacer(",2", ",0").Replace(dense): true} {
		got, err := Read(strings.NewReader(text), "t", Dialect{Guess: true})
		if err != nil || strings.Contains(strings.Join(got.Notes, ""), "name features") != want {
			t.Errorf("species, want a warning %v: %v, %v", want, got, err)
		}
	}
	lineages := "Taxa,a,b,c\nA;B;C;D,1,2,3\nA;B;C;E,2,5,3\nA;B;C;D,4,2,1\n"
	got, err := Read(strings.NewReader(lineages), "t", Dialect{Guess: true, Transpose: Yes})
	if err != nil || got.Rows != 3 || len(got.Names) != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = Read(strings.NewReader("  \na;b\n1;2\n3;4\n"), "t", Dialect{}); err != nil || got.Rows != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLead: names of taxa or proteins behind ranks and counters are features. The columns before them are
// left out, and places are of the text as it is.
func TestLead(t *testing.T) {
	taxa := "division;class;genera;S1;S2;S3;S4;S5\n" + linesOf(12, "D;C;Gen%d;$;%d.5;4$;1;2")
	counter := ",Unnamed: 0,uniprot,info,S1,S2,S3,S4,S5\n" + linesOf(12, "%d,%d,P%d,x,$,%d.5,4$,1,2")
	ids := strings.Replace(strings.ReplaceAll(taxa, "D;C;", "p"), "division;class", "probe", 1)
	ids = regexp.MustCompile(`pGen(\d+)`).ReplaceAllString(ids, "p$1;D;Gen$1")
	ids = strings.Replace(ids, "probe", "probe;class", 1)
	for text, name := range map[string]string{taxa: "Gen3", counter: "P3", ids: "p3"} {
		d := Dialect{Guess: true, Words: Flags(func(string) bool { return true })}
		_, err := Read(strings.NewReader(text), "t", d)
		if text == taxa && (err == nil || !strings.Contains(err.Error(), "column 3 (genera) names features")) ||
			text == counter && err != nil {
			t.Error(err)
		}
		d = Dialect{Guess: true, Transpose: Yes}
		got, err := Read(strings.NewReader(text), "t", d)
		if err != nil || !slices.Equal(got.IDs, []string{"S1", "S2", "S3", "S4", "S5"}) || got.Data[12+3] != 3.5 ||
			got.Names[3] != name {
			t.Errorf("%.20q: %+v, %v", text, got, err)
		}
		place := "column 3"
		if name == "p3" {
			place = "column 1"
		}
		d = Dialect{Guess: true, Known: got.Names}
		if got, err = Read(strings.NewReader(text), "t", d); err != nil ||
			!strings.Contains(got.Notes[0], place+" has the names") {
			t.Errorf("%.20q: %+v, %v", text, got, err)
		}
		_, err = Read(strings.NewReader(strings.Replace(text, "10.5", "ten", 1)), "t", d)
		if err == nil || !strings.Contains(err.Error(), "\"ten\"") {
			t.Error(err)
		}
	}
	text := "name,a,,c,,d,e\n" + linesOf(9, "g%d,$,,%d.5,%d,4$,1") + "g9,3,7,4.5,9,1,2\n"
	got, err := Read(strings.NewReader(text), "t", Dialect{Guess: true, Transpose: Yes, Missing: true})
	if err != nil || got.Rows != 5 || got.Data[10+9] != 7 || !strings.Contains(got.Notes[0],
		"no samples: column 5") {
		t.Errorf("a counter and a column with one number, both without a name: %+v, %v", got, err)
	}
	got, err = Read(strings.NewReader("name,a,\ng1,5,7\n"), "t", Dialect{Guess: true, Transpose: Yes})
	if err != nil || got.Rows != 2 {
		t.Errorf("one line: %+v, %v", got, err)
	}
}

// TestLists: lists of numbers in a field, as SAINT writes, are no columns, whichever signs part them and
// fields.
func TestLists(t *testing.T) {
	text := "prey;spec;a;b\n" + linesOf(9, "P%d;$|0|1|2|$;$.5;%d.25")
	for _, signs := range []string{";|", ",|", "\t|", "|;", "\t;", ",;"} {
		got, err := Read(strings.NewReader(strings.NewReplacer(";", signs[:1], "|", signs[1:]).Replace(text)), "t",
			Dialect{Guess: true, Text: TextDrop})
		if err != nil || strings.Join(got.Names, " ") != "a b" || got.Rows != 9 {
			t.Errorf("%q: %+v, %v", signs, got, err)
		}
	}
}

// TestNotIDs: data in capitals that end in ID are no ids, and a minus behind a whole number is no sign.
// Numbers of rows stay ids if all other columns are left out, and a text beside the columns of a model is
// one.
func TestNotIDs(t *testing.T) {
	model := Dialect{Guess: true, Pick: func([]string) []string { return []string{"a", "b"} }}
	got, err := Read(strings.NewReader("name,a,b\nx1,1.5,2\n"), "t", model)
	if err != nil || !slices.Equal(got.IDs, []string{"x1"}) {
		t.Errorf("one row of a model: %+v, %v", got, err)
	}
	long := "sample,wavelength,value\n" + linesOf(4, "a,4%d0,1.5") + linesOf(4, "b,4%d0,2.$")
	_, err = Read(strings.NewReader(long), "t", Dialect{Guess: true, Long: Yes, Keep: []string{"x"}})
	if err == nil || !strings.Contains(err.Error(), "no column is named \"x\"") {
		t.Errorf("a column that is not there: %v", err)
	}
	left := Dialect{Guess: true, Drop: []string{"a"}}
	if got, err := Read(strings.NewReader("id,a\n"+linesOf(9, "%d,$.5")), "t", left); err == nil {
		t.Errorf("%v", got.Names)
	}
	for name, want := range map[string]bool{"CHLORID": false, "LIQUID": false, "POINTID": true,
		"SampleID": true, "id": true} {
		if got := idName(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if isFeature("Orange juice") || !isFeature("Abra alba") {
		t.Error("names of species")
	}
	grades := "name,math,art\na,1-,3\nb,2-,1\nc,3,2\nd,1,1\n"
	if got, err := Read(strings.NewReader(grades), "g.csv", Dialect{Guess: true}); err == nil &&
		len(got.Names) > 1 {
		t.Errorf("grades are numbers: %v", got.Data)
	}
}
