package metric

import "ccbench/internal/result"

// inputs is what metrics are computed from.
type inputs struct {
	trial  *result.Trial
	series map[int]*result.Series // the sender's, by flow
}

func newInputs(t *result.Trial, series []result.Series) inputs {
	in := inputs{trial: t, series: map[int]*result.Series{}}
	for i, s := range series {
		if s.Side == result.Sender {
			in.series[s.Flow] = &series[i]
		}
	}
	return in
}

// Busy time beyond that of ccbench's own processes is others', but for what the
// flow's packets cost outside of any process: interrupts that find a processor
// idle (seen: a sixth of the processes' time). Above these, busy time says
// nothing about the flow.
const (
	otherLoad      = 0.05 // of the processors
	interruptShare = 0.25 // of the own processes' time
)

func (in inputs) goodput() *float64 {
	bytes := in.sum(func(f *result.Flow) *float64 { return difference(f.ReceivedOpen, f.ReceivedClose) })
	return scale(8, ratio(bytes, in.trial.Window.Receiver))
}

func (in inputs) retransmits() *float64 {
	return in.sum(counter(func(s *result.TCP) *int64 { return s.TotalRetrans }))
}

func (in inputs) retransmitRatio() *float64 {
	sent := in.sum(counter(func(s *result.TCP) *int64 { return s.DataSegsOut }))
	return ratio(in.retransmits(), sent)
}

func (in inputs) netPower() *float64 {
	return ratio(scale(1.0/8, in.goodput()), in.rttMean())
}

func busyTime(s *result.TCP) *float64      { return s.BusyTime }
func rwndLimited(s *result.TCP) *float64   { return s.RwndLimited }
func sndbufLimited(s *result.TCP) *float64 { return s.SndbufLimited }

// share is the part of the window that a kernel timer ran. The kernel counts
// in jiffies, so it may be off by one of them (at most 10 ms) at each end.
func share(timer func(*result.TCP) *float64) func(inputs) *float64 {
	one := func(f *result.Flow) *float64 {
		if f.Open == nil || f.Close == nil {
			return nil
		}
		window := f.Close.T - f.Open.T
		return ratio(difference(timer(f.Open), timer(f.Close)), &window)
	}
	return func(in inputs) *float64 { return in.mean(one) }
}

func (in inputs) rttMin() *float64 {
	var least *float64
	for _, f := range in.trial.Flows {
		if f.Close == nil || f.Close.MinRTT == nil {
			return nil
		}
		if v := *f.Close.MinRTT; least == nil || v < *least {
			least = &v
		}
	}
	return least
}

func (in inputs) dropsInduced() *float64 {
	if in.trial.Drop == nil || in.trial.Drop.Final == nil {
		return nil
	}
	hits := float64(in.trial.Drop.Final.Hits)
	return &hits
}

// dropsQueue is null when neither an emulator nor a device was read.
func (in inputs) dropsQueue() *float64 {
	if in.trial.Path == nil && len(in.trial.Links) == 0 {
		return nil
	}
	var drops int64
	if in.trial.Path != nil {
		drops = in.trial.Path.Data.DropsQueue
	}
	for _, l := range in.trial.Links {
		drops += l.QdiscDrops
	}
	total := float64(drops)
	return &total
}

// queueDelay is a figure of the emulated queue, from so many packets on.
func queueDelay(least int64, of func(*result.QueueDelay) float64) func(inputs) *float64 {
	return func(in inputs) *float64 {
		if in.trial.Path == nil || in.trial.Path.Data.QueueDelay == nil || in.trial.Path.Data.QueueDelay.Packets < least {
			return nil
		}
		v := of(in.trial.Path.Data.QueueDelay)
		return &v
	}
}

func (in inputs) connectTime() *float64 {
	return in.mean(func(f *result.Flow) *float64 { return f.ConnectTime })
}

// cpu compares rates, not amounts: the processors' window and the receiver's
// are not the same two instants.
func (in inputs) cpu() *float64 {
	c := in.trial.CPU
	if c == nil || c.Window <= 0 || c.CPUs <= 0 {
		return nil
	}
	if c.Busy-c.Own > otherLoad*float64(c.CPUs)*c.Window+interruptShare*c.Own {
		return nil
	}
	busy := c.Busy / c.Window
	return ratio(&busy, scale(1.0/8e9, in.goodput()))
}

// sum adds a quantity of each flow; it is null if any flow lacks it.
func (in inputs) sum(of func(*result.Flow) *float64) *float64 {
	if len(in.trial.Flows) == 0 {
		return nil
	}
	total := 0.0
	for i := range in.trial.Flows {
		v := of(&in.trial.Flows[i])
		if v == nil {
			return nil
		}
		total += *v
	}
	return &total
}

func (in inputs) mean(of func(*result.Flow) *float64) *float64 {
	return scale(1/float64(len(in.trial.Flows)), in.sum(of))
}

// counter is what a kernel counter of a flow gained in the window.
func counter(of func(*result.TCP) *int64) func(*result.Flow) *float64 {
	return func(f *result.Flow) *float64 {
		if f.Open == nil || f.Close == nil {
			return nil
		}
		return difference(of(f.Open), of(f.Close))
	}
}

// difference is null also where a counter ran backwards: it wrapped around or
// is not what it seems.
func difference[T int64 | float64](before, after *T) *float64 {
	if before == nil || after == nil || *after < *before {
		return nil
	}
	d := float64(*after - *before)
	return &d
}

// ratio is null where the denominator is not above zero.
func ratio(over, under *float64) *float64 {
	if over == nil || under == nil || *under <= 0 {
		return nil
	}
	r := *over / *under
	return &r
}

func scale(factor float64, v *float64) *float64 {
	if v == nil {
		return nil
	}
	s := factor * *v
	return &s
}
