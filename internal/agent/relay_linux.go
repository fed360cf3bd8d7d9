package agent

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"ccbench/internal/agent/wire"
	"ccbench/internal/emulator"
	"ccbench/internal/link"
	"ccbench/internal/unit"
)

// passing is how long the path agent waits for an end's device.
const passing = 10 * time.Second

// relay is the agent that is the path: the emulator between two devices.
type relay struct {
	tell say

	mu       sync.Mutex
	emulator *emulator.Emulator // nil before emulate
}

func newRelay(tell say) *relay { return &relay{tell: tell} }

func (r *relay) handlers() map[wire.Method]handler {
	return map[wire.Method]handler{
		wire.MethodEmulate: in(r.emulate),
		wire.MethodDrain:   in(r.drain),
	}
}

// emulate takes both ends' devices and relays between them from then on.
func (r *relay) emulate(request wire.EmulateRequest) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.emulator != nil {
		return nil, outOfTurn("this path is being emulated already")
	}
	sender, err := receiveDevice(firstSocket, "sender")
	if err != nil {
		return nil, err
	}
	receiver, err := receiveDevice(firstSocket+1, "receiver")
	if err != nil {
		return nil, err
	}
	e, err := emulator.New(emulatorConfig(request), sender, receiver)
	if err != nil {
		return nil, err
	}
	r.emulator = e
	go func() {
		if err := e.Run(context.Background()); err != nil {
			r.tell(wire.EventFailed, &wire.Error{Code: wire.CodeFailed, Message: err.Error()})
		}
	}()
	return nil, nil
}

func receiveDevice(socket uintptr, of string) (*os.File, error) {
	s := os.NewFile(socket, of+" socket")
	defer s.Close()
	tun, err := link.ReceiveFD(s, of+" device", time.Now().Add(passing))
	if err != nil {
		return nil, fmt.Errorf("taking the %s's device: %w", of, err)
	}
	return tun, nil
}

func emulatorConfig(request wire.EmulateRequest) emulator.Config {
	return emulator.Config{
		MTU: request.MTU,
		Data: emulator.Direction{
			Rate: unit.BitRate(request.Rate), Delay: request.Delay,
			Buffer: unit.Bytes(request.Buffer), Overhead: request.Overhead,
		},
		Ack:    emulator.Direction{Delay: request.Delay},
		Window: emulator.Window{Warmup: request.Warmup, Duration: request.Duration},
	}
}

func (r *relay) drain(request wire.FinishRequest) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.emulator == nil {
		return nil, outOfTurn("no path is being emulated")
	}
	ctx, cancel := context.WithTimeout(context.Background(), request.Within)
	defer cancel()
	if err := r.emulator.Flush(ctx); err != nil {
		return nil, err
	}
	return r.emulator.Stats(), nil
}
