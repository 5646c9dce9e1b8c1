package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// report prints a table for each server of patchlab, as in doc/beside.md: requests per second
// of both servers, their ratio, and the processor time for one request. The column before the
// last is the ratio of processor time, the client's included. On an idle machine it is about that
// of requests; other programs affect it much less. The last column is what this ratio would be
// for a server that takes no processor time at all. Without another server only patchlab's own
// columns are printed.
func report(o *options, sides []*side, rows []row, figures map[string]map[*side][]figure) {
	fmt.Printf("%d clients, medians of %d rounds of %s on %d processors\n", o.clients, o.rounds, o.turn, runtime.NumCPU())
	if o.against == "" {
		for _, s := range sides {
			reportAlone(s, rows, figures)
		}
		return
	}
	other := sides[len(sides)-1]
	for _, s := range sides[:len(sides)-1] {
		fmt.Printf("\n| request | target | kube-apiserver, per second | %s | ratio | server's time | kube-apiserver's | client's | kube-apiserver takes | at most |\n", s.name)
		fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
		for _, r := range rows {
			own, others := figures[r.name][s], figures[r.name][other]
			var ratios, costs, bounds []float64
			for i := range own {
				ratios = append(ratios, own[i].rate/others[i].rate)
				costs = append(costs, float64(others[i].server+others[i].client)/float64(own[i].server+own[i].client))
				bounds = append(bounds, float64(others[i].server+others[i].client)/float64(own[i].client))
			}
			fmt.Printf("| %s | %s | %.0f | %.0f | %.1f× | %s | %s | %s | %.1f× | %.1f× |\n", r.name, r.aim,
				median(others, rate), median(own, rate), median(ratios, itself),
				duration(median(own, serverTime)), duration(median(others, serverTime)), duration(median(own, clientTime)), median(costs, itself), median(bounds, itself))
		}
	}
	fmt.Print("\nShare of the processors' time that neither the server nor the clients used:\n\n")
	fmt.Println("| request | server | idle | other programs |")
	fmt.Println("|---|---|---|---|")
	for _, r := range rows {
		for _, s := range sides {
			own := figures[r.name][s]
			fmt.Printf("| %s | %s | %.0f %% | %.0f %% |\n", r.name, s.name, 100*median(own, idle), 100*median(own, others))
		}
	}
}

// reportAlone prints the table of a server without another one to compare with.
func reportAlone(s *side, rows []row, figures map[string]map[*side][]figure) {
	fmt.Printf("\n| request | %s, per second | server's time | client's |\n|---|---|---|---|\n", s.name)
	for _, r := range rows {
		own := figures[r.name][s]
		fmt.Printf("| %s | %.0f | %s | %s |\n", r.name, median(own, rate), duration(median(own, serverTime)), duration(median(own, clientTime)))
	}
}

func rate(f figure) float64       { return f.rate }
func serverTime(f figure) float64 { return float64(f.server) }
func clientTime(f figure) float64 { return float64(f.client) }
func idle(f figure) float64       { return f.idle }
func others(f figure) float64     { return f.others }
func itself(f float64) float64    { return f }

// duration formats nanoseconds in microseconds, or in milliseconds if they are more than one.
func duration(nanoseconds float64) string {
	switch ms := nanoseconds / float64(time.Millisecond); {
	case ms >= 10:
		return fmt.Sprintf("%.0f ms", ms)
	case ms >= 2:
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%.0f µs", nanoseconds/float64(time.Microsecond))
}

func median[T any](samples []T, of func(T) float64) float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// machine is the time of all processors since the start of the system, in hundredths of a
// second: in total, and the idle part.
type machine struct{ total, idle float64 }

// readMachine reads the first line of /proc/stat (proc(5)).
func readMachine() machine {
	var m machine
	f, err := os.Open("/proc/stat")
	if err != nil {
		return m
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadString('\n')
	for i, field := range strings.Fields(line) {
		n, _ := strconv.ParseFloat(field, 64)
		if i > 8 { // guest time is part of user time
			break
		}
		m.total += n
		if i == 4 || i == 5 { // idle, iowait
			m.idle += n
		}
	}
	return m
}

// shares returns the shares of the processors' time since m that were idle and that other
// programs used, given the time that the server and the clients used.
func (m machine) shares(used time.Duration) (idle, others float64) {
	now := readMachine()
	total := now.total - m.total
	if total <= 0 {
		return 0, 0
	}
	idle = (now.idle - m.idle) / total
	return idle, max(0, 1-idle-used.Seconds()*100/total)
}
