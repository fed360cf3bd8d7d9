package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"ccbench/internal/agent/wire"
)

// firstSocket is the descriptor of the first path socket an agent is given.
const firstSocket = 3

// handler does one request: it decodes the body and returns that of the reply.
type handler func(body json.RawMessage) (any, error)

// say sends an event; what cannot be said is lost with the coordinator.
type say func(method wire.Method, body any)

// Stdio is an agent over this process's standard input and output. It returns
// when its input ends, at once, whatever is under way: the caller must exit.
// Standard output is pointed at standard error, so that nothing that prints can
// come between the frames.
func Stdio(role wire.Role, version string) error {
	out, err := protocolOutput()
	if err != nil {
		return fmt.Errorf("keeping the agent's output to itself: %w", err)
	}
	return serve(role, version, os.Stdin, out)
}

func protocolOutput() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, firstSocket)
	if err != nil {
		return nil, err
	}
	if err := unix.Dup3(2, 1, 0); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "protocol"), nil
}

// serve answers requests until in ends or out breaks. Each is done on its own
// goroutine: a long one (finish) does not keep a short one (read_drop) waiting.
func serve(role wire.Role, version string, in io.Reader, out io.Writer) error {
	s := &server{w: wire.NewWriter(out), end: make(chan error, 1)}
	handlers, err := handlersOf(role, s.tell)
	if err != nil {
		return err
	}
	s.tell(wire.EventHello, wire.Hello{Protocol: wire.Protocol, Version: version, Role: role, PID: os.Getpid()})
	go func() { s.finish(s.read(in, handlers)) }()
	return <-s.end
}

// server is an agent's end of the connection.
type server struct {
	w   *wire.Writer
	end chan error // the first reason to end; nil: the input ended
}

// finish ends the agent; only the first reason counts.
func (s *server) finish(err error) {
	select {
	case s.end <- err:
	default:
	}
}

func (s *server) read(in io.Reader, handlers map[wire.Method]handler) error {
	r := wire.NewReader(in)
	for {
		m, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		if m.Kind != wire.Request {
			return fmt.Errorf("%w: a message of kind %q to an agent", wire.ErrProtocol, m.Kind)
		}
		go s.answer(m, handlers[m.Method])
	}
}

// tell sends an event; an agent that cannot speak ends.
func (s *server) tell(method wire.Method, body any) {
	encoded, err := wire.Encode(body)
	if err == nil {
		err = s.w.Write(wire.Message{Kind: wire.Event, Method: method, Body: encoded})
	}
	if err != nil {
		s.finish(fmt.Errorf("telling of %s: %w", method, err))
	}
}

// answer does one request and replies.
func (s *server) answer(request wire.Message, do handler) {
	reply := wire.Message{Kind: wire.Reply, ID: request.ID}
	body, err := attempt(request, do)
	if err == nil {
		reply.Body, err = wire.Encode(body)
	}
	if err != nil {
		reply.Error = wireError(request.Method, err)
	}
	err = s.w.Write(reply)
	if errors.Is(err, wire.ErrTooLong) {
		reply.Body, reply.Error = nil, wireError(request.Method, err)
		err = s.w.Write(reply)
	}
	if err != nil {
		s.finish(fmt.Errorf("answering %s: %w", request.Method, err))
	}
}

func handlersOf(role wire.Role, tell say) (map[wire.Method]handler, error) {
	switch role {
	case wire.RoleSender:
		return newSender(tell).handlers(), nil
	case wire.RoleReceiver:
		return newReceiver(tell).handlers(), nil
	case wire.RolePath:
		return newRelay(tell).handlers(), nil
	}
	return nil, fmt.Errorf("no such role: %q (sender, receiver, path)", role)
}

func attempt(request wire.Message, do handler) (any, error) {
	if do == nil {
		return nil, &wire.Error{Code: wire.CodeProtocol, Message: "this agent does not do " + string(request.Method)}
	}
	return do(request.Body)
}

// hinter is an error that knows what would help.
type hinter interface{ Hint() string }

func wireError(method wire.Method, err error) *wire.Error {
	var ready *wire.Error
	if errors.As(err, &ready) {
		return ready
	}
	e := &wire.Error{Code: wire.CodeFailed, Message: fmt.Sprintf("%s: %v", method, err)}
	var h hinter
	if errors.As(err, &h) {
		e.Hint = h.Hint()
	}
	return e
}

// in makes a handler of a function with a request body.
func in[Request any](do func(Request) (any, error)) handler {
	return func(body json.RawMessage) (any, error) {
		var request Request
		if err := wire.Decode(body, &request); err != nil {
			return nil, err
		}
		return do(request)
	}
}

// bare makes a handler of a function without one.
func bare(do func() (any, error)) handler {
	return func(body json.RawMessage) (any, error) {
		if err := wire.Decode(body, nil); err != nil {
			return nil, err
		}
		return do()
	}
}
