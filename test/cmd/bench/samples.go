package main

import (
	"slices"
	"strconv"
	"strings"
)

// samples are measurements by benchmark and unit.
type samples map[string]map[string][]float64

// add parses a line of benchmark output:
//
//	BenchmarkApply/deployment/ours-2  1000  12345 ns/op  12 allocs/op
func (s samples) add(line, suffix string) {
	f := strings.Fields(line)
	if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
		return
	}
	name := strings.TrimPrefix(f[0], "Benchmark")
	if at := strings.LastIndexByte(name, '-'); at > strings.LastIndexByte(name, '/') {
		if _, err := strconv.Atoi(name[at+1:]); err == nil {
			name = name[:at] // the number of processors
		}
	}
	name += suffix
	if s[name] == nil {
		s[name] = map[string][]float64{}
	}
	for i := 2; i+1 < len(f); i += 2 {
		if v, err := strconv.ParseFloat(f[i], 64); err == nil {
			s[name][f[i+1]] = append(s[name][f[i+1]], v)
		}
	}
}

// median returns the median of the measurements, or 0 if there are none.
func (s samples) median(name, unit string) float64 { return median(s[name][unit]) }

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

const (
	timeUnit  = "ns/op"
	cpuUnit   = "user-ns/op"
	allocUnit = "allocs/op"
)
