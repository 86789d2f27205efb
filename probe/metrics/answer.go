package metrics

import (
	"context"
	"runtime"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// chunk is how many bytes are rendered before they are sent and others may run.
const chunk = 32 << 10

// answer is one in one of the text forms, on its way.
type answer struct {
	lines
	ctx     context.Context
	pen     sync.Locker // held while rendering, not while sending
	sheets  []*sheet
	process *processSnapshot    // nil when it is not wanted
	others  []*dto.MetricFamily // those of client_golang's collectors, sorted by name
	encoder expfmt.Encoder      // of those, to the lines
	out     *outlet
	polite  time.Time // until when others run first, so that a scrape has its end also where they never leave off
	flushed bool      // something of this family
}

// Write appends to the lines.
func (l *lines) Write(p []byte) (int, error) {
	l.buf = append(l.buf, p...)
	return len(p), nil
}

// write writes all families in the order of their names. An answer that it does not end is not whole.
func (s *answer) write(wanted *selection) error {
	for i := range parts[s.form] {
		p := &parts[s.form][i]
		if err := s.writeOthers(p.Name, wanted); err != nil {
			return err
		}
		if wanted.takesFamily(p.Name) {
			if err := s.family(p); err != nil {
				return err
			}
		}
	}
	if err := s.writeOthers("", wanted); err != nil {
		return err
	}
	if s.form == openMetrics {
		s.buf = append(s.buf, "# EOF\n"...)
	}
	return s.flush(true)
}

// writeOthers writes those of client_golang's families whose names are before a name, or all that are
// left when it is empty.
func (s *answer) writeOthers(before string, wanted *selection) error {
	for len(s.others) > 0 && (before == "" || s.others[0].GetName() < before) {
		f := s.others[0]
		s.others = s.others[1:]
		if !wanted.takesFamily(f.GetName()) {
			continue
		}
		if err := s.encoder.Encode(f); err != nil {
			return err
		}
	}
	return nil
}

// family writes a family, unless it has no series.
func (s *answer) family(p *part) error {
	s.part, s.flushed = p, false
	before := len(s.buf)
	s.buf = append(s.buf, p.head...)
	empty := len(s.buf)
	if p.readProcess != nil && s.process != nil {
		s.labels, s.probe = block{}, nil
		p.readProcess(s.process, &s.lines)
	}
	if p.read != nil {
		for _, sheet := range s.sheets {
			if err := s.rows(sheet); err != nil {
				return err
			}
		}
	}
	if len(s.buf) == empty && !s.flushed {
		s.buf = s.buf[:before]
	}
	return nil
}

// rows writes the series that a sheet's probes have of the family.
func (s *answer) rows(of *sheet) error {
	for i := range of.rows[:of.used] {
		row := &of.rows[i]
		s.labels, s.probe = row.labels, row.probe
		s.part.read(&row.snapshot, &s.lines)
		if len(s.buf) > chunk {
			if err := s.flush(false); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush sends what has been rendered, all of it when it is the last. Others may run and render meanwhile,
// so that scrapes keep one core busy at most, and no probe waits for a whole one.
func (s *answer) flush(last bool) error {
	packed := s.out.pack(s.buf, last)
	s.buf, s.flushed = s.buf[:0], true
	s.pen.Unlock()
	defer s.pen.Lock()
	s.yield()
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return s.out.send(packed)
}

// yield lets others run first, for as long as that leaves enough time.
func (s *answer) yield() {
	if time.Now().Before(s.polite) {
		runtime.Gosched()
	}
}
