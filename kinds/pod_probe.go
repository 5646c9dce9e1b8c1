package kinds

import (
	"strconv"
	"strings"
)

// checkLifecycle validates the hooks and probes of a container.
func (p *podCheck) checkLifecycle(c field) {
	if lifecycle := c.get("lifecycle"); lifecycle.isSet() {
		for _, name := range [...]string{"postStart", "preStop"} {
			if hook := lifecycle.get(name); hook.isSet() {
				p.handler(hook)
			}
		}
		p.checkStopSignal(lifecycle.get("stopSignal"))
	}
	for _, name := range [...]string{"livenessProbe", "readinessProbe", "startupProbe"} {
		probe := c.get(name)
		if !probe.isSet() {
			continue
		}
		p.checkProbe(probe)
		if name == "readinessProbe" {
			if seconds := probe.get("terminationGracePeriodSeconds"); seconds.isSet() {
				p.invalid(seconds, "must not be set for readinessProbes")
			}
		} else if threshold := probe.get("successThreshold"); threshold.number() != 1 {
			p.invalid(threshold, "must be 1")
		}
	}
}

func (p *podCheck) checkProbe(probe field) {
	p.handler(probe)
	for _, name := range [...]string{"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"} {
		p.minimum(probe.get(name), 0)
	}
	if seconds := probe.get("terminationGracePeriodSeconds"); seconds.isSet() && seconds.number() <= 0 {
		p.invalid(seconds, "must be greater than 0")
	}
}

// handler requires exactly one handler of a probe or hook.
func (p *podCheck) handler(f field) {
	found := false
	for _, kind := range [...]string{"exec", "httpGet", "tcpSocket", "grpc", "sleep"} {
		action := f.get(kind)
		if !action.isSet() {
			continue
		}
		if found {
			p.forbidden(action, "may not specify more than 1 handler type")
			continue
		}
		found = true
		switch kind {
		case "exec":
			p.need(action.get("command"))
		case "httpGet":
			p.httpGet(action)
		case "tcpSocket":
			p.portOrName(action.get("port"))
		case "grpc":
			p.port(action.get("port"))
		case "sleep":
			grace := p.spec.get("terminationGracePeriodSeconds")
			if n := action.get("seconds").number(); grace.isSet() && (n < 0 || n > grace.number() || n == 0 && !p.kind.Since("1.33")) {
				p.invalidValue(action, action.Value.Get("seconds"), "must be non-negative and less than terminationGracePeriodSeconds ("+strconv.FormatInt(grace.number(), 10)+")")
			}
		}
	}
	if !found {
		p.required(f, "must specify a handler type")
	}
}

func (p *podCheck) httpGet(action field) {
	p.need(action.get("path"))
	p.portOrName(action.get("port"))
	p.oneOf(action.get("scheme"), "HTTP,HTTPS")
	headers := action.get("httpHeaders")
	for i := range headers.items() {
		name := headers.At(i).Get("name").StringOr("")
		if name == "" || strings.Trim(name, headerCharacters) != "" {
			p.invalidText(headers, name, "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')")
		}
	}
}

const headerCharacters = "-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// stopSignals are the valid stop signals on Linux, except SIGRTMIN+n and SIGRTMAX-n.
const stopSignals = "SIGABRT,SIGALRM,SIGBUS,SIGCHLD,SIGCLD,SIGCONT,SIGFPE,SIGHUP,SIGILL,SIGINT,SIGIO,SIGIOT,SIGKILL,SIGPIPE,SIGPOLL,SIGPROF,SIGPWR," +
	"SIGQUIT,SIGRTMAX,SIGRTMIN,SIGSEGV,SIGSTKFLT,SIGSTOP,SIGSYS,SIGTERM,SIGTRAP,SIGTSTP,SIGTTIN,SIGTTOU,SIGURG,SIGUSR1,SIGUSR2,SIGVTALRM,SIGWINCH,SIGXCPU,SIGXFSZ"

func (p *podCheck) checkStopSignal(signal field) {
	if !signal.isSet() {
		return
	}
	switch os := p.spec.get("os"); {
	case !os.isSet():
		p.forbidden(signal, "may not be set for containers with empty `spec.os.name`")
	case os.get("name").text() == "windows":
		p.oneOf(signal, "SIGKILL,SIGTERM")
	case os.get("name").text() == "linux" && !isRealTimeSignal(signal.text()):
		p.oneOf(signal, stopSignals)
	}
}

func isRealTimeSignal(name string) bool {
	text, limit := "", 0
	if rest, ok := strings.CutPrefix(name, "SIGRTMIN+"); ok {
		text, limit = rest, 15
	} else if rest, ok := strings.CutPrefix(name, "SIGRTMAX-"); ok {
		text, limit = rest, 14
	}
	n, err := strconv.Atoi(text)
	return err == nil && n >= 1 && n <= limit && text == strconv.Itoa(n)
}
