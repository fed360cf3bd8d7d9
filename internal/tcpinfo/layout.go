package tcpinfo

// infoSize is how much of struct tcp_info this package knows.
const infoSize = 248

// field is a member of struct tcp_info: where it is, how wide, and which of
// its values the kernel uses to say that it has none.
type field struct {
	offset, width int
	absent        []uint64
}

const (
	infinite32 = 1<<32 - 1
	infinite64 = 1<<64 - 1
	// TCP_INFINITE_SSTHRESH of include/net/tcp.h: slow start was never left.
	infiniteSsthresh = 0x7fffffff
)

// The members of struct tcp_info in include/uapi/linux/tcp.h that are read
// here, with the kernel each came in. The struct only ever grew at its end, at
// every release by whole multiples of eight bytes, so that no answer ends in
// padding and its length says which members are in it.
var (
	caState   = field{offset: 1, width: 1}                                      // 2.4
	rto       = field{offset: 8, width: 4}                                      // us
	sndMSS    = field{offset: 16, width: 4}                                     // bytes
	unacked   = field{offset: 24, width: 4}                                     // segments, as the next three
	sacked    = field{offset: 28, width: 4}                                     //
	lost      = field{offset: 32, width: 4}                                     //
	retrans   = field{offset: 36, width: 4}                                     // in flight now, not a total
	rtt       = field{offset: 68, width: 4, absent: []uint64{0}}                // us, smoothed; 0: not measured yet
	rttvar    = field{offset: 72, width: 4}                                     // us, of no meaning before the first rtt
	ssthresh  = field{offset: 76, width: 4, absent: []uint64{infiniteSsthresh}} // segments
	cwnd      = field{offset: 80, width: 4}                                     // segments
	reorder   = field{offset: 88, width: 4}                                     // segments
	total     = field{offset: 100, width: 4}                                    // total_retrans, segments
	pacing    = field{offset: 104, width: 8, absent: []uint64{infinite64}}      // 3.15, bytes/s; all ones: unlimited
	bytesAckd = field{offset: 120, width: 8}                                    // 4.1
	segsOut   = field{offset: 136, width: 4}                                    // 4.2
	notsent   = field{offset: 144, width: 4}                                    // 4.6, bytes
	minRTT    = field{offset: 148, width: 4, absent: []uint64{infinite32}}      // 4.6, us
	dataSegs  = field{offset: 156, width: 4}                                    // 4.6, data_segs_out
	delivRate = field{offset: 160, width: 8, absent: []uint64{0}}               // 4.9, bytes/s; 0: no sample yet
	busyTime  = field{offset: 168, width: 8}                                    // 4.10, us, counted in jiffies, as the next two
	rwndTime  = field{offset: 176, width: 8}                                    //
	sndbuf    = field{offset: 184, width: 8}                                    //
	delivered = field{offset: 192, width: 4}                                    // 4.18, segments
	bytesSent = field{offset: 200, width: 8}                                    // 4.19
	bytesRetr = field{offset: 208, width: 8}                                    // 4.19
	dsackDups = field{offset: 216, width: 4}                                    // 4.19
	sndWnd    = field{offset: 228, width: 4}                                    // 5.4, bytes
	totalRTO  = field{offset: 240, width: 2}                                    // 6.7
	rtoTime   = field{offset: 244, width: 4}                                    // 6.7, ms
)
