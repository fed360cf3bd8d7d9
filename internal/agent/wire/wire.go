// Package wire is what the coordinator and an agent say to each other: one
// frame a message, a frame being a four-byte big-endian length and as many
// bytes of JSON. It is pure: it knows readers and writers, no processes.
//
// The coordinator sends requests, the agent one reply to each, and events of
// its own accord. The first frame of an agent is the hello event. End of file
// in either direction ends the agent.
package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Protocol is the version of the messages; both ends must be of one version,
// which they are where the agent is the same program.
const Protocol = 1

// MaxFrame bounds one frame in bytes. The longest are the flows' samples, which
// are fetched in parts for that reason.
const MaxFrame = 64 << 20

// Kind says what a message is.
type Kind string

// The kinds of message.
const (
	Request Kind = "request"
	Reply   Kind = "reply"
	Event   Kind = "event"
)

// Message is one frame. A request and its reply share an ID; an event has none.
type Message struct {
	Kind   Kind            `json:"kind"`
	ID     uint64          `json:"id,omitempty"`
	Method Method          `json:"method,omitempty"` // of a request or an event
	Error  *Error          `json:"error,omitempty"`  // of a reply that failed
	Body   json.RawMessage `json:"body,omitempty"`
}

// Error is a failure on the agent's side. Code is stable and for programs;
// Hint says what to do and may be empty.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// The codes of an Error.
const (
	CodeFailed    = "failed"    // the step could not be done
	CodeAlgorithm = "algorithm" // the kernel would not give the congestion control
	CodeProtocol  = "protocol"  // the message made no sense here
)

func (e *Error) Error() string { return e.Message }

// ErrTooLong marks a message that does not fit a frame; nothing of it was sent.
var ErrTooLong = errors.New("longer than a frame may be")

// ErrProtocol marks what the other end may not say.
var ErrProtocol = errors.New("protocol error")

// Reader reads messages. It is not for concurrent use.
type Reader struct {
	r   io.Reader
	buf bytes.Buffer
}

// NewReader reads frames from r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Read returns the next message; io.EOF only between frames. A frame's bytes
// are taken as they come, so a false length costs no memory.
func (r *Reader) Read() (Message, error) {
	var head [4]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return Message{}, headError(err)
	}
	length := int64(binary.BigEndian.Uint32(head[:]))
	if length == 0 || length > MaxFrame {
		return Message{}, fmt.Errorf("%w: a frame of %d bytes, 1 to %d allowed", ErrProtocol, length, MaxFrame)
	}
	r.buf.Reset()
	if n, err := io.CopyN(&r.buf, r.r, length); err != nil {
		return Message{}, fmt.Errorf("frame cut off after %d of %d bytes: %w", n, length, noEOF(err))
	}
	return decode(r.buf.Bytes())
}

func headError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("frame cut off in its length: %w", err)
	}
	return err
}

// noEOF keeps a break inside a frame from looking like an orderly end.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func decode(frame []byte) (Message, error) {
	var m Message
	decoder := json.NewDecoder(bytes.NewReader(frame))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrProtocol, noEOF(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Message{}, fmt.Errorf("%w: more than one value in a frame", ErrProtocol)
	}
	return m, check(m)
}

func check(m Message) error {
	switch {
	case m.Kind == Request && m.ID != 0 && m.Method != "" && m.Error == nil,
		m.Kind == Reply && m.ID != 0 && m.Method == "",
		m.Kind == Event && m.ID == 0 && m.Method != "" && m.Error == nil:
		return nil
	}
	return fmt.Errorf("%w: a %q with id %d and method %q", ErrProtocol, m.Kind, m.ID, m.Method)
}

// Writer writes messages, each in one write, and may be used concurrently.
type Writer struct {
	mu sync.Mutex
	w  io.Writer
}

// NewWriter writes frames to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write sends one message.
func (w *Writer) Write(m Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encoding %s %s: %w", m.Kind, m.Method, err)
	}
	if len(body) > MaxFrame {
		return fmt.Errorf("a %s of %d bytes: %w (%d bytes)", m.Kind, len(body), ErrTooLong, MaxFrame)
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body)))
	frame = append(frame, body...)
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.w.Write(frame)
	return err
}

// Encode turns a body into JSON; a nil body is left out.
func Encode(body any) (json.RawMessage, error) {
	if body == nil {
		return nil, nil
	}
	return json.Marshal(body)
}

// Decode reads a body strictly into v; v nil means none is expected.
func Decode(body json.RawMessage, v any) error {
	if v == nil {
		if len(body) != 0 {
			return fmt.Errorf("%w: a body where none belongs", ErrProtocol)
		}
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return fmt.Errorf("%w: body: %w", ErrProtocol, noEOF(err))
	}
	return nil
}
