package costs

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// spent returns the processor time of this process, in seconds.
func spent() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// clock is a context that ends after some processor time, and keeps the longest time between two looks at it.
type clock struct {
	context.Context
	end, last, longest float64
	before             [8]uintptr // the stack of the last look
	where              string     // the looks around the longest time
}

func (c *clock) Err() error {
	now := spent()
	var stack [8]uintptr
	runtime.Callers(2, stack[:])
	if now-c.last > c.longest {
		c.longest, c.where = now-c.last, names(c.before[:])+" to "+names(stack[:])
	}
	c.last, c.before = spent(), stack
	if now > c.end {
		return context.Canceled
	}
	return nil
}

// names returns the functions of a stack, without the package's path.
func names(stack []uintptr) string {
	var list []string
	for f := runtime.CallersFrames(stack); ; {
		at, more := f.Next()
		name := at.Function[strings.LastIndexByte(at.Function, '/')+1:]
		list = append(list, fmt.Sprintf("%s:%d", strings.TrimPrefix(name, "softkmeans."), at.Line))
		if !more {
			return strings.Join(list, "<")
		}
	}
}

// TestLate logs for how much processor time calls on a million numbers do not look at their context, nor
// return once it has ended, in their first two seconds:
//
//	SOFTKMEANS_GROWTH=. go test -v -run 'TestLate/two_rows/Unmix' ./internal/costs
func TestLate(t *testing.T) {
	if !long() {
		t.Skip("SOFTKMEANS_GROWTH is not set")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that processor time is what passes
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			for _, c := range s.calls() {
				t.Run(c.name, func(t *testing.T) { c.late(t) })
			}
		})
	}
}

// late measures a call.
func (c *call) late(t *testing.T) {
	runtime.GC()
	ctx := &clock{Context: bg}
	ctx.last = spent()
	ctx.end = ctx.last + 1
	err := c.do(ctx)
	if err != nil && !ended(err) {
		t.Error(err)
	}
	if after := spent() - ctx.last; after > ctx.longest {
		ctx.longest, ctx.where = after, names(ctx.before[:])+" to its return"
	}
	if ctx.longest > .05 {
		t.Logf("%s: %.0f ms, from %s", c.name, 1000*ctx.longest, ctx.where)
	}
}
