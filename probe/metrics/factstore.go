package metrics

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
)

// facts is where the facts of the last run are kept; its writer and readers are those of state. Only what
// is known and is not 0 takes room. The zero value is none.
type facts struct {
	// Its owner's bits are, from the lowest: which facts are known, which of them are not 0, and the TLS
	// version. Its words are the bits of a float64 each, of those that are not 0, in their order.
	words words
}

const factMask = 1<<numFacts - 1

func (f *facts) clear() { f.words.first.Store(nil) }

func (f *facts) store(s *factSheet) {
	full := uint64(0)
	for i, v := range s.values {
		if s.known&(1<<i) != 0 && math.Float64bits(v) != 0 {
			full |= 1 << i
		}
	}
	list, need := f.words.load(), 1+bits.OnesCount64(full)
	if len(list) < need {
		list = f.words.renew(need + need&1) // of an odd number Go would leave a word unused
	}
	at := 1
	for left := full; left != 0; left &= left - 1 {
		list[at].Store(math.Float64bits(s.values[bits.TrailingZeros64(left)]))
		at++
	}
	setOwn(list, uint64(s.known)|full<<numFacts|tlsVersions.place(s.tlsVersion)<<(2*numFacts))
}

// read copies the facts.
func (f *facts) read(s *factSheet) {
	*s = factSheet{}
	list := f.words.load()
	if list == nil {
		return
	}
	have := own(list)
	s.known = uint32(have & factMask)
	at := 1
	for left := have >> numFacts & factMask; left != 0 && at < len(list); left &= left - 1 {
		s.values[bits.TrailingZeros64(left)] = math.Float64frombits(list[at].Load())
		at++
	}
	s.tlsVersion = tlsVersions.name(have >> (2 * numFacts))
}

// tlsVersions are all versions of TLS that were ever met. They are few: crypto/tls names them.
var tlsVersions versions

// mostVersions bounds how many there are; a version beyond is not known.
const mostVersions = 100

// versions are names in the order in which they came. They may be used by any number of goroutines.
type versions struct {
	mu    sync.Mutex
	names atomic.Pointer[[]string]
}

func (v *versions) list() []string {
	if list := v.names.Load(); list != nil {
		return *list
	}
	return nil
}

// place is a name's, from 1; 0 of the empty one.
func (v *versions) place(name string) uint64 {
	if name == "" {
		return 0
	}
	if at := indexOf(v.list(), name); at > 0 {
		return uint64(at)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	list := v.list()
	if at := indexOf(list, name); at > 0 || len(list) == mostVersions {
		return uint64(at)
	}
	list = append(list[:len(list):len(list)], name)
	v.names.Store(&list)
	return uint64(len(list))
}

// indexOf is where a name is, from 1; 0 when it is not there.
func indexOf(list []string, name string) int {
	for i, have := range list {
		if have == name {
			return i + 1
		}
	}
	return 0
}

// name is the one at a place; empty when there is none.
func (v *versions) name(place uint64) string {
	if list := v.list(); place > 0 && place <= uint64(len(list)) {
		return list[place-1]
	}
	return ""
}
