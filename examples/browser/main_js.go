//go:build js && wasm

// The program of the page. It runs in a Web Worker; README.md describes its messages.
// It sends answers by the function softkmeans.post of worker.js.
package main

import (
	"context"
	"errors"
	"io"
	"syscall/js"
	"time"

	"softkmeans"
	"softkmeans/examples/browser/sets"
)

// pause is the time after which a fit lets the worker read its messages, so that it can
// be cancelled, and the time between reports of progress.
const pause = 50 * time.Millisecond

type worker struct {
	session session
	queue   []js.Value
	more    chan struct{} // holds a value while the queue may not be empty
	cancel  context.CancelFunc
}

func main() {
	w := &worker{more: make(chan struct{}, 1)}
	receive := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) == 1 {
			w.receive(args[0])
		}
		return nil
	})
	js.Global().Get("softkmeans").Call("ready", receive)
	for range w.more {
		for len(w.queue) > 0 {
			message := w.queue[0]
			w.queue = w.queue[1:]
			w.answer(message)
		}
	}
}

// receive is called by the event loop and must not block. A new request cancels the one
// that is running, and those in the queue that only fit or preview: the latest wins.
func (w *worker) receive(message js.Value) {
	if w.cancel != nil {
		w.cancel()
	}
	kind := message.Get("kind").String()
	var kept []js.Value
	for _, m := range w.queue {
		switch m.Get("kind").String() {
		case "open", "load", "know", "save", "draw":
			kept = append(kept, m)
		default:
			post(m, "error", map[string]any{"text": "cancelled before it began"})
		}
	}
	w.queue = kept
	if kind == "cancel" {
		post(message, "cancelling", map[string]any{})
		return
	}
	w.queue = append(w.queue, message)
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *worker) answer(message js.Value) {
	inner, cancel := context.WithCancel(context.Background())
	ctx := &listening{Context: inner, last: time.Now()}
	w.cancel = cancel
	defer func() {
		cancel()
		w.cancel = nil
	}()
	parts, err := w.serve(ctx, message)
	kind, answer := "done", map[string]any{"parts": object(parts), "cancelled": ctx.Err() != nil}
	if err != nil {
		kind, answer["text"] = "error", err.Error()
	}
	post(message, kind, answer)
}

// post sends an answer to a message, or news of it, with these fields.
func post(to js.Value, kind string, fields map[string]any) {
	fields["kind"], fields["id"], fields["for"] = kind, to.Get("id"), to.Get("kind")
	js.Global().Get("softkmeans").Call("post", fields)
}

// serve executes a request. It may return parts with an error, too.
func (w *worker) serve(ctx context.Context, message js.Value) (parts []part, err error) {
	o, err := parseOptions(textOf(message.Get("options")))
	if err != nil {
		return nil, err
	}
	tell := teller(ctx, message)
	reads := func(read, size int) error {
		tell(readProgress(read, size))
		return ctx.Err()
	}
	iterates := func(it softkmeans.Iteration) { tell(progress("iteration "+itoa(it.Iteration), it)) }
	switch kind := message.Get("kind").String(); kind {
	case "open":
		from := fileOf(message)
		from.set = sets.Find(textOf(message.Get("set")))
		return w.session.open(ctx, from, o, reads)
	case "load", "know":
		from := fileOf(message)
		text, err := io.ReadAll(from.open())
		if err == nil && kind == "load" {
			parts, err = w.session.load(ctx, text, o)
		} else if err == nil {
			err = w.session.know(from.name, text)
		}
		return parts, err
	case "fit":
		return w.session.fit(ctx, o, reads, iterates)
	case "preview":
		return w.session.preview(o)
	case "draw":
		return w.session.redraw(o)
	case "doubt":
		if parts, err = w.session.doubt(ctx); ctx.Err() != nil {
			err = nil // it is asked again
		}
		return parts, err
	case "path":
		err = w.session.extend(ctx, func(found int, it softkmeans.Iteration) {
			tell(progress(itoa(found)+" of "+itoa(len(pathSteps)), it))
		})
		if ctx.Err() != nil {
			err = nil // the points found so far remain
		}
	case "save":
		return w.session.save(textOf(message.Get("what")))
	}
	return nil, err
}

// fileOf returns the file of a message, a Blob, which is read in pieces.
func fileOf(message js.Value) *source {
	name, blob := message.Get("name").String(), message.Get("file")
	size := blob.Get("size").Int()
	return &source{name: name, size: size, open: func() io.Reader { return &blobReader{blob, name, 0, size} }}
}

type blobReader struct {
	blob     js.Value
	name     string
	at, size int
}

// Read reads the next piece, by the function softkmeans.read of worker.js.
func (b *blobReader) Read(p []byte) (int, error) {
	n := min(len(p), b.size-b.at)
	if n <= 0 {
		return 0, io.EOF
	}
	piece := js.Global().Get("softkmeans").Call("read", b.blob, b.at, b.at+n)
	if piece.Type() != js.TypeObject {
		return 0, errors.New(b.name + ": the file cannot be read any more; has it changed? Choose it again")
	}
	n = js.CopyBytesToGo(p, piece)
	b.at += n
	return n, nil
}

// listening is a context whose Err, which the package calls again and again, lets the
// worker read its messages once per pause. So every part of a fit can be cancelled.
type listening struct {
	context.Context
	last time.Time
}

func (l *listening) Err() error {
	if err := l.Context.Err(); err != nil || time.Since(l.last) < pause {
		return err
	}
	time.Sleep(time.Millisecond) // runs the event loop
	l.last = time.Now()
	return l.Context.Err()
}

// teller returns a function that sends progress at most once per pause.
func teller(ctx context.Context, message js.Value) func(news []part) {
	last := time.Now()
	return func(news []part) {
		if time.Since(last) < pause || ctx.Err() != nil {
			return
		}
		post(message, "progress", object(news))
		last = time.Now()
	}
}

func object(parts []part) map[string]any {
	o := map[string]any{}
	for _, p := range parts {
		o[p.name] = p.value
	}
	return o
}

func textOf(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}
