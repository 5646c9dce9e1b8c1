package server

import (
	"context"
	"log/slog"
)

// LogTo returns a function for Options.Log that logs requests: at level Info, or at level
// Error for an internal error. The attribute "id" is the request's Audit-Id. Contents of
// objects are not logged.
func LogTo(l *slog.Logger) func(Access) {
	return func(r Access) {
		level, message := slog.LevelInfo, "request"
		if r.Fault != "" {
			level, message = slog.LevelError, "internal error; please report it with the request"
		}
		if !l.Enabled(context.Background(), level) {
			return
		}
		attributes := []slog.Attr{slog.String("id", r.ID), slog.String("method", r.Method), slog.String("url", r.URL), slog.Int("code", r.Code),
			slog.Int64("bytes", r.Bytes), slog.Duration("took", r.Took), slog.String("from", r.From), slog.String("userAgent", r.UserAgent)}
		if r.Fault != "" {
			attributes = append(attributes, slog.String("fault", r.Fault))
		}
		l.LogAttrs(context.Background(), level, message, attributes...)
	}
}
