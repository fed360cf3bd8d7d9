package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
)

// frame is a raw frame of the given JSON.
func frame(body string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestRoundTrip(t *testing.T) {
	var buf bytes.Buffer
	w := NewWriter(&buf)
	want := []Message{
		{Kind: Event, Method: EventHello, Body: json.RawMessage(`{"pid":7}`)},
		{Kind: Request, ID: 1, Method: MethodStart},
		{Kind: Reply, ID: 1, Error: &Error{Code: CodeFailed, Message: "no", Hint: "try"}},
	}
	for _, m := range want {
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	r := NewReader(&buf)
	for i, m := range want {
		got, err := r.Read()
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
		if got.Kind != m.Kind || got.ID != m.ID || got.Method != m.Method || string(got.Body) != string(m.Body) {
			t.Errorf("message %d: got %+v, want %+v", i, got, m)
		}
	}
	if _, err := r.Read(); err != io.EOF {
		t.Errorf("after the last message: got %v, want EOF", err)
	}
}

func TestReadRefuses(t *testing.T) {
	request := `{"kind":"request","id":1,"method":"start"}`
	for name, test := range map[string]struct {
		in   []byte
		want string
	}{
		"half a length":         {[]byte{0, 0}, "cut off in its length"},
		"no length":             {[]byte{0, 0, 0, 0}, "frame of 0 bytes"},
		"a length out of reach": {[]byte{0xff, 0xff, 0xff, 0xff}, "frame of 4294967295 bytes"},
		"half a body":           {frame(request)[:20], "cut off after 16"},
		"no JSON":               {frame("hello"), "invalid character"},
		"half a JSON":           {frame(`{"kind":`), "unexpected EOF"},
		"two in one":            {frame(request + request), "more than one value"},
		"an unknown key":        {frame(`{"kind":"event","method":"x","extra":1}`), "unknown field"},
		"an unknown kind":       {frame(`{"kind":"shout","id":1,"method":"start"}`), `"shout"`},
		"a request without id":  {frame(`{"kind":"request","method":"start"}`), "id 0"},
		"a reply with a method": {frame(`{"kind":"reply","id":1,"method":"start"}`), `"reply"`},
		"an event with an id":   {frame(`{"kind":"event","id":1,"method":"x"}`), `"event"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewReader(bytes.NewReader(test.in)).Read()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
			if errors.Is(err, io.EOF) {
				t.Error("it looks like an orderly end")
			}
		})
	}
}

// A length alone must cost nothing: 64 MiB promised, ten bytes delivered.
func TestFalseLengthCostsNoMemory(t *testing.T) {
	in := append(binary.BigEndian.AppendUint32(nil, MaxFrame), "0123456789"...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := NewReader(bytes.NewReader(in)).Read()
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Fatal("no error")
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes allocated", used)
	}
}

func TestTooLongIsNotSent(t *testing.T) {
	var buf bytes.Buffer
	body, _ := Encode(strings.Repeat("x", MaxFrame))
	err := NewWriter(&buf).Write(Message{Kind: Reply, ID: 1, Body: body})
	if !errors.Is(err, ErrTooLong) || buf.Len() != 0 {
		t.Errorf("got %v, and %d bytes were sent", err, buf.Len())
	}
}

func TestDecodeIsStrict(t *testing.T) {
	var reply ListenReply
	for body, want := range map[string]string{
		`{"prot":1}`:     "unknown field",
		`{"port":70000}`: "cannot unmarshal",
		``:               "unexpected EOF",
	} {
		if err := Decode(json.RawMessage(body), &reply); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", body, err, want)
		}
	}
	if err := Decode(json.RawMessage(`{}`), nil); err == nil {
		t.Error("a body where none belongs: no error")
	}
}

// pair is a client and the agent's end of its connection.
func pair(t *testing.T, onEvent func(Message)) (*Client, net.Conn) {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	if onEvent == nil {
		onEvent = func(Message) {}
	}
	return NewClient(near, near, onEvent), far
}

func TestCallsOverlap(t *testing.T) {
	client, far := pair(t, nil)
	go func() { // an agent that answers two requests in the wrong order
		r, w := NewReader(far), NewWriter(far)
		first, _ := r.Read()
		second, _ := r.Read()
		for _, m := range []Message{second, first} {
			body, _ := Encode(ListenReply{Port: uint16(len(m.Method))})
			w.Write(Message{Kind: Reply, ID: m.ID, Body: body})
		}
	}()
	ports := make(chan [2]uint16)
	for _, method := range []Method{MethodListen, MethodStart} {
		go func() {
			var reply ListenReply
			if err := client.Call(context.Background(), method, nil, &reply); err != nil {
				t.Error(err)
			}
			ports <- [2]uint16{uint16(len(method)), reply.Port}
		}()
	}
	for range 2 {
		if got := <-ports; got[0] != got[1] {
			t.Errorf("a request of length %d got the answer of length %d", got[0], got[1])
		}
	}
}

func TestCallErrors(t *testing.T) {
	t.Run("the agent's own", func(t *testing.T) {
		client, far := pair(t, nil)
		go func() {
			m, _ := NewReader(far).Read()
			NewWriter(far).Write(Message{Kind: Reply, ID: m.ID, Error: &Error{Code: CodeAlgorithm, Message: "no such"}})
		}()
		err := client.Call(context.Background(), MethodConnect, nil, nil)
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeAlgorithm {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the agent goes", func(t *testing.T) {
		client, far := pair(t, nil)
		go func() { NewReader(far).Read(); far.Close() }()
		if err := client.Call(context.Background(), MethodStart, nil, nil); err == nil || !strings.Contains(err.Error(), "gone") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no answer", func(t *testing.T) {
		client, far := pair(t, nil)
		go io.Copy(io.Discard, far)
		why := errors.New("enough waited")
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(why)
		if err := client.Call(ctx, MethodStart, nil, nil); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("nonsense", func(t *testing.T) {
		client, far := pair(t, nil)
		go func() { NewReader(far).Read(); far.Write(frame("nonsense")) }()
		err := client.Call(context.Background(), MethodStart, nil, nil)
		if !errors.Is(err, ErrProtocol) || !errors.Is(client.Err(), ErrProtocol) {
			t.Errorf("got %v, connection %v", err, client.Err())
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(frame(`{"kind":"request","id":1,"method":"start"}`))
	f.Add(frame(`{"kind":"reply","id":1,"body":{"port":7}}`))
	f.Add(append(frame(`{"kind":"event","method":"window_closed"}`), 0, 0, 0, 9, '{'))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewReader(bytes.NewReader(in))
		for {
			m, err := r.Read()
			if err != nil {
				return
			}
			var again bytes.Buffer
			if err := NewWriter(&again).Write(m); err != nil {
				t.Fatalf("a message that was read cannot be written: %v", err)
			}
			if _, err := NewReader(&again).Read(); err != nil {
				t.Fatalf("a message that was written cannot be read: %v", err)
			}
		}
	})
}
