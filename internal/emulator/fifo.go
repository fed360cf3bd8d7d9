package emulator

// fifo is a queue in a ring that doubles when it is full and never shrinks: in
// the steady state it allocates nothing.
type fifo[T any] struct {
	items []T // its length is 0 or a power of two
	head  int
	count int
}

func (f *fifo[T]) len() int { return f.count }

func (f *fifo[T]) push(item T) {
	if f.count == len(f.items) {
		f.grow()
	}
	f.items[(f.head+f.count)&(len(f.items)-1)] = item
	f.count++
}

// front is the oldest item; the queue must not be empty.
func (f *fifo[T]) front() *T { return &f.items[f.head] }

// pop takes the oldest item out; the queue must not be empty.
func (f *fifo[T]) pop() T {
	item := f.items[f.head]
	f.head = (f.head + 1) & (len(f.items) - 1)
	f.count--
	return item
}

func (f *fifo[T]) grow() {
	const smallest = 64
	items := make([]T, max(smallest, 2*len(f.items)))
	n := copy(items, f.items[f.head:])
	copy(items[n:], f.items[:f.head])
	f.items, f.head = items, 0
}

// slab hands out buffers of one size and takes them back. It grows a chunk at
// a time and never shrinks.
type slab struct {
	size int // bytes of a buffer
	free [][]byte
}

func (s *slab) get() []byte {
	if len(s.free) == 0 {
		s.grow()
	}
	last := len(s.free) - 1
	buffer := s.free[last]
	s.free = s.free[:last]
	return buffer
}

func (s *slab) put(buffer []byte) { s.free = append(s.free, buffer[:s.size]) }

func (s *slab) grow() {
	const buffers = 64 // a chunk
	chunk := make([]byte, buffers*s.size)
	for i := range buffers {
		s.free = append(s.free, chunk[i*s.size:(i+1)*s.size:(i+1)*s.size])
	}
}
