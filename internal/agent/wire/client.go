package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Client is the coordinator's end of one agent. Calls may overlap.
type Client struct {
	w       *Writer
	onEvent func(Message)

	mu    sync.Mutex
	next  uint64
	calls map[uint64]chan Message
	err   error         // why the connection ended
	done  chan struct{} // closed then
}

// NewClient speaks over r and w. Events are handed to onEvent one at a time,
// from the reading goroutine: it must not block. The client's goroutine ends
// when r does.
func NewClient(r io.Reader, w io.Writer, onEvent func(Message)) *Client {
	c := &Client{
		w: NewWriter(w), onEvent: onEvent,
		calls: make(map[uint64]chan Message), done: make(chan struct{}),
	}
	go c.read(NewReader(r))
	return c
}

// Done is closed when the agent can no longer be reached; Err then says why.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err is why the connection ended; io.EOF for an orderly end.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *Client) read(r *Reader) {
	for {
		m, err := r.Read()
		if err == nil {
			err = c.take(m)
		}
		if err != nil {
			c.end(err)
			return
		}
	}
}

func (c *Client) take(m Message) error {
	switch m.Kind {
	case Event:
		c.onEvent(m)
		return nil
	case Reply:
		c.mu.Lock()
		reply := c.calls[m.ID]
		delete(c.calls, m.ID)
		c.mu.Unlock()
		if reply != nil { // nil: the caller has stopped waiting
			reply <- m
		}
		return nil
	}
	return fmt.Errorf("%w: a message of kind %q from an agent", ErrProtocol, m.Kind)
}

func (c *Client) end(err error) {
	c.mu.Lock()
	c.err = err
	c.mu.Unlock()
	close(c.done)
}

// Call sends a request and waits for its reply, which is decoded into reply
// (nil: no body expected). A failure on the agent's side is an *Error.
func (c *Client) Call(ctx context.Context, method Method, request, reply any) error {
	body, err := Encode(request)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	id, answer := c.register()
	defer c.forget(id)
	if err := c.w.Write(Message{Kind: Request, ID: id, Method: method, Body: body}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m := <-answer:
		return decodeReply(method, m, reply)
	case <-c.done:
		select {
		case m := <-answer: // it answered, then went
			return decodeReply(method, m, reply)
		default:
		}
		return fmt.Errorf("%s: the agent is gone: %w", method, gone(c.Err()))
	case <-ctx.Done():
		return fmt.Errorf("%s: no answer: %w", method, context.Cause(ctx))
	}
}

func (c *Client) register() (uint64, chan Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	answer := make(chan Message, 1)
	c.calls[c.next] = answer
	return c.next, answer
}

func (c *Client) forget(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}

func decodeReply(method Method, m Message, reply any) error {
	if m.Error != nil {
		return m.Error
	}
	if err := Decode(m.Body, reply); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func gone(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("it closed the connection")
	}
	return err
}
