package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Record is one line of a results file: *Header, *Host, *Series or *Trial.
type Record interface{ record() }

func (*Header) record() {}
func (*Host) record()   {}
func (*Series) record() {}
func (*Trial) record()  {}

// linePrefix is how every line starts.
var linePrefix = []byte(`{"type":"`)

// Reader reads a results file as a stream, line by line.
//
// Records of unknown types and unknown keys are skipped: a later version of
// the same major format may have added them. Whatever else is wrong is an
// error that names file and line, with one exception: a file that ends inside a
// trial is what a kill leaves, so reading ends there and Torn says so.
type Reader struct {
	// SkipSeries leaves series lines undecoded, which saves most of the work.
	SkipSeries bool

	name   string
	in     *bufio.Reader
	line   int // number of the line read last
	buf    []byte
	at     int64 // bytes of the lines read so far
	whole  int64 // of them, up to the last that committed something
	header bool  // seen
	series bool  // seen
	trial  bool  // seen
	open   bool  // lines were seen whose trial was not
	torn   bool  // the last line is incomplete
	failed error // io.EOF or what stopped reading
}

// NewReader reads from r; name stands for it in errors.
func NewReader(name string, r io.Reader) *Reader {
	return &Reader{name: name, in: bufio.NewReaderSize(r, 64<<10)}
}

// Next returns the next record, or io.EOF after the last. The first record is
// always the header. After an error Next keeps returning that error.
func (r *Reader) Next() (Record, error) {
	for r.failed == nil {
		record, err := r.next()
		if err != nil {
			r.failed = err
		} else if record != nil {
			return record, nil
		}
	}
	return nil, r.failed
}

// Torn says, once Next has returned io.EOF, whether the file ends inside a
// trial or a line.
func (r *Reader) Torn() bool { return r.torn || r.open }

// Committed is the length in bytes of the part of the file that stays when
// its run is resumed: up to the end of the last trial line, or of the header as
// long as there is no trial.
func (r *Reader) Committed() int64 { return r.whole }

// HasSeries says whether there was a series, decoded or not.
func (r *Reader) HasSeries() bool { return r.series }

// Line is the number of the line that the last record was on.
func (r *Reader) Line() int { return r.line }

// next returns nil without an error for a line to be skipped.
func (r *Reader) next() (Record, error) {
	line, err := r.readLine()
	if r.line == 1 && (err == nil || err == io.EOF) {
		if other := recognised(line); other != nil {
			return nil, fmt.Errorf("%s:%d: %w", r.name, r.line, other)
		}
	}
	if err == io.EOF && len(line) > 0 {
		r.torn = true // no newline: the write did not end
	}
	if err != nil {
		return nil, err
	}
	record, err := r.decode(line)
	if broken(err) && r.atEnd() {
		r.torn = true // blocks of a crashed file system may come back as zeros
		return nil, io.EOF
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
	}
	switch record.(type) {
	case *Header, *Trial:
		r.whole = r.at
	}
	return record, nil
}

// readLine returns a line of any length, without its newline, valid until the
// next call. At the end of input it returns what there is with io.EOF.
func (r *Reader) readLine() ([]byte, error) {
	r.buf = r.buf[:0]
	r.line++
	for {
		part, err := r.in.ReadSlice('\n')
		r.buf = append(r.buf, part...)
		r.at += int64(len(part))
		switch err {
		case bufio.ErrBufferFull:
		case nil:
			return r.buf[:len(r.buf)-1], nil
		case io.EOF:
			return r.buf, io.EOF
		default:
			return nil, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
		}
	}
}

func (r *Reader) atEnd() bool {
	_, err := r.in.Peek(1)
	return err == io.EOF
}

// errNotJSON is a line that breaks off or never was one of ours.
var errNotJSON = errors.New(`broken line: want one JSON object in UTF-8 that starts {"type":"`)

func broken(err error) bool { return errors.Is(err, errNotJSON) }

func (r *Reader) decode(line []byte) (Record, error) {
	rest, ok := bytes.CutPrefix(line, linePrefix)
	kind, _, closed := bytes.Cut(rest, []byte{'"'})
	if !ok && r.rewritten(line) {
		return nil, errRewritten
	}
	if !ok || !closed || !utf8.Valid(line) {
		return nil, errNotJSON
	}
	if !r.header {
		return r.decodeHeader(string(kind), line)
	}
	switch string(kind) {
	case TypeHeader:
		return nil, errors.New("a second header: are these two files in one?")
	case TypeHost:
		r.open = r.trial // after a resume it comes with the next trial
		return decodeInto(new(Host), line)
	case TypeTrial:
		return r.decodeTrial(line)
	case TypeSeries:
		r.open, r.series = true, true
		if !r.SkipSeries {
			return decodeSeries(line)
		}
	}
	if !json.Valid(line) {
		return nil, errNotJSON
	}
	return nil, nil
}

// decodeHeader looks at the version before anything else: a newer header may
// have other types.
func (r *Reader) decodeHeader(kind string, line []byte) (Record, error) {
	if kind != TypeHeader {
		return nil, fmt.Errorf("the first line is %q, not a header", kind)
	}
	var format struct{ Version int }
	if err := unmarshal(line, &format); err != nil {
		return nil, err
	}
	if format.Version > Version {
		return nil, fmt.Errorf("format version %d is newer than %d, the newest this ccbench reads: use a newer ccbench", format.Version, Version)
	}
	if format.Version < 1 {
		return nil, fmt.Errorf("format version %d: want 1 to %d", format.Version, Version)
	}
	r.header = true
	return decodeInto(new(Header), line)
}

func (r *Reader) decodeTrial(line []byte) (Record, error) {
	t := new(Trial)
	if err := unmarshal(line, t); err != nil {
		return nil, err
	}
	r.open, r.trial = false, true
	return t, t.check()
}

func decodeSeries(line []byte) (Record, error) {
	s := new(Series)
	if err := unmarshal(line, s); err != nil {
		return nil, err
	}
	return s, s.check()
}

func decodeInto(record Record, line []byte) (Record, error) {
	if err := unmarshal(line, record); err != nil {
		return nil, err
	}
	return record, nil
}

// unmarshal tells a line that is not JSON from JSON that says something unexpected.
func unmarshal(line []byte, into any) error {
	err := json.Unmarshal(line, into)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%w: %w", errNotJSON, err)
	}
	return err
}
