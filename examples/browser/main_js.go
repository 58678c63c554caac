//go:build js && wasm

// The page's program: it runs in a Web Worker, see README.md for the messages.
// Its answers leave by the function that worker.js hands over.
package main

import (
	"context"
	"syscall/js"
	"time"

	"softkmeans"
)

// pause is how often a fit lets the worker read its messages, so that one that
// cancels is seen, and says how far it is.
const pause = 50 * time.Millisecond

type worker struct {
	session session
	queue   []js.Value
	more    chan struct{} // has a token while the queue may not be empty
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

// receive runs between two steps of the program and must not block. A new
// request cancels the one that is running: the latest wins. A preview in the
// queue is worth nothing once another request is behind it.
func (w *worker) receive(message js.Value) {
	if w.cancel != nil {
		w.cancel()
	}
	kind := message.Get("kind").String()
	if n := len(w.queue); n > 0 && w.queue[n-1].Get("kind").String() == "preview" {
		w.queue = w.queue[:n-1]
	}
	if kind == "cancel" {
		return
	}
	w.queue = append(w.queue, message)
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *worker) answer(message js.Value) {
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	defer func() {
		cancel()
		w.cancel = nil
	}()
	reply := js.Global().Get("Object").New()
	reply.Set("id", message.Get("id"))
	reply.Set("for", message.Get("kind"))
	if err := w.serve(ctx, message, reply); err != nil {
		reply.Set("kind", "error")
		reply.Set("text", err.Error())
	} else {
		reply.Set("kind", "done")
	}
	reply.Set("cancelled", ctx.Err() != nil)
	js.Global().Get("softkmeans").Call("post", reply)
}

// serve does what the message asks for and puts the answer in the reply.
func (w *worker) serve(ctx context.Context, message, reply js.Value) error {
	o, err := parseOptions(stringsOf(message.Get("options")))
	if err != nil {
		return err
	}
	tell := teller(ctx, message)
	var parts []part
	switch message.Get("kind").String() {
	case "open":
		from := &source{name: message.Get("name").String(), text: bytesOf(message.Get("text")), labels: bytesOf(message.Get("labels"))}
		from.set = findSet(textOf(message.Get("set")))
		parts, err = w.session.open(from, o)
	case "fit":
		parts, err = w.session.fit(ctx, o, func(it softkmeans.Iteration) { tell("iteration "+itoa(it.Iteration), it) })
	case "preview":
		parts, err = w.session.preview(o)
	case "draw":
		parts, err = w.session.redraw(o)
	case "path":
		err = w.session.extend(ctx, func(step int, it softkmeans.Iteration) { tell(itoa(step+1)+" of "+itoa(pathSteps), it) })
		if ctx.Err() != nil {
			err = nil // what there is, is there
		}
	case "save":
		var f file
		if f, err = w.session.save(textOf(message.Get("what"))); err == nil {
			reply.Set("name", f.name)
			reply.Set("type", f.kind)
			reply.Set("bytes", uint8Array(f.bytes))
		}
	}
	if err != nil {
		return err
	}
	reply.Set("parts", object(parts))
	return nil
}

// teller returns what sends progress, and then lets the worker read its
// messages. It does so once per pause, whatever the pace of the iterations.
func teller(ctx context.Context, message js.Value) func(step string, it softkmeans.Iteration) {
	last := time.Now()
	return func(step string, it softkmeans.Iteration) {
		if time.Since(last) < pause || ctx.Err() != nil {
			return
		}
		news := object(progress(step, it))
		news.Set("kind", "progress")
		news.Set("id", message.Get("id"))
		news.Set("for", message.Get("kind"))
		js.Global().Get("softkmeans").Call("post", news)
		time.Sleep(time.Millisecond) // the way back to the event loop
		last = time.Now()
	}
}

func object(parts []part) js.Value {
	o := js.Global().Get("Object").New()
	for _, p := range parts {
		o.Set(p.name, p.value)
	}
	return o
}

func stringsOf(list js.Value) (all []string) {
	if list.Type() != js.TypeObject {
		return nil
	}
	for i := range list.Length() {
		all = append(all, textOf(list.Index(i)))
	}
	return all
}

func textOf(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}

func bytesOf(v js.Value) []byte {
	if v.Type() != js.TypeObject {
		return nil
	}
	b := make([]byte, v.Length())
	js.CopyBytesToGo(b, v)
	return b
}

func uint8Array(b []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(a, b)
	return a
}
