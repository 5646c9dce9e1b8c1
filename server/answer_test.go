package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// answered returns the response that write produces in the given form.
func answered(form answerForm, headers map[string]string, write func(*answer)) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/", nil)
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	out := httptest.NewRecorder()
	a := (&Server{}).begin(&writer{ResponseWriter: out}, r, form, 200)
	write(a)
	a.end()
	return out
}

func parsed(t testing.TB, text string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(text), document.Options{MaxBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

// TestIndentAgreesWithEncodingJSON checks that indented output equals that of
// encoding/json.
func TestIndentAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `1`, `"a"`, `{"a":{},"b":[]}`, `{"a":[1,2,{"b":null}],"c":"x,y:{}[]\"\\"}`, `[[[]],[[1]],{}]`, `{"é\u003c":"\\\""}`,
	} {
		var want bytes.Buffer
		if err := json.Indent(&want, []byte(text), "", "  "); err != nil {
			t.Fatal(err)
		}
		v := parsed(t, text)
		got := answered(answerForm{pretty: true}, nil, func(a *answer) { a.object(v) }).Body.String()
		want.Reset()
		if err := json.Indent(&want, v.JSON(), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got != want.String() {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want.String())
		}
		if size := indentedSize(v.JSON(), 0); size < len(got) || size > 2*len(got)+10 {
			t.Errorf("%s: counted %d bytes, written %d", text, size, len(got))
		}
	}
}

// TestStreamedListEqualsEncodedList checks that a list has the same bytes whether it is
// streamed item by item or encoded at once.
func TestStreamedListEqualsEncodedList(t *testing.T) {
	item := `{"a":{"b":["x",{"c":"two\nlines\n"}],"d":{}},"e":"f"}`
	for count := range 3 {
		items := strings.TrimSuffix(strings.Repeat(item+",", count), ",")
		whole := parsed(t, `{"apiVersion":"v1","items":[`+items+`],"kind":"ThingList","metadata":{"resourceVersion":"7"}}`)
		for _, form := range []answerForm{{}, {pretty: true}, {yaml: true}} {
			want := answered(form, nil, func(a *answer) { a.object(whole) }).Body.String()
			got := answered(form, nil, func(a *answer) {
				a.list(whole.Without("items"), "items", count, func(_ int, dst []byte) []byte { return append(dst, item...) })
			}).Body.String()
			if got != want {
				t.Errorf("%d items, %+v:\n%s\nwant\n%s", count, form, got, want)
			}
		}
	}
}

// TestIndentationDoesNotAmplify checks that deeply nested objects, which indentation
// would enlarge several hundred times, are sent without it.
func TestIndentationDoesNotAmplify(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for why, text := range map[string]string{
		"deep":          `{"spec":` + deep + `}`,
		"deep and wide": `{"spec":` + strings.Repeat("[", 500) + strings.Repeat("[],", 100_000) + "1" + strings.Repeat("]", 500) + `}`,
		"objects":       `{"spec":` + strings.Repeat(`{"a":`, 3000) + "1" + strings.Repeat("}", 3000) + `}`,
	} {
		v := parsed(t, text)
		most := max(maxGrowth*len(text), smallValue) + 1000
		for _, form := range []answerForm{{pretty: true}, {yaml: true}} {
			got := answered(form, nil, func(a *answer) { a.object(v) }).Body.Bytes()
			if len(got) > most {
				t.Errorf("%s, %+v: %d bytes have become %d", why, form, len(text), len(got))
			}
			d, err := document.ParseYAML(got, document.Options{MaxBytes: -1})
			if err != nil || !document.Identical(d.Root, v) {
				t.Errorf("%s, %+v: is read as something else: %v", why, form, err)
			}
			listed := answered(form, nil, func(a *answer) {
				a.list(document.NewObject(), "items", 3, func(_ int, dst []byte) []byte { return v.AppendJSON(dst) })
			}).Body.Bytes()
			if len(listed) > 3*most {
				t.Errorf("%s in a list, %+v: %d bytes", why, form, len(listed))
			}
		}
	}
}

func TestLongAnswersAreCompressed(t *testing.T) {
	item := []byte(`{"a":"` + strings.Repeat("x", 1000) + `"}`)
	write := func(count int) func(*answer) {
		return func(a *answer) {
			a.list(document.NewObject(), "items", count, func(_ int, dst []byte) []byte { return append(dst, item...) })
		}
	}
	plain := answered(answerForm{}, nil, write(1000))
	if plain.Header().Get("Content-Encoding") != "" || plain.Body.Len() < 1_000_000 {
		t.Errorf("without Accept-Encoding: %v, %d bytes", plain.Header(), plain.Body.Len())
	}
	zipped := answered(answerForm{}, map[string]string{"Accept-Encoding": "deflate, gzip"}, write(1000))
	if zipped.Header().Get("Content-Encoding") != "gzip" || zipped.Header().Get("Vary") != "Accept-Encoding" {
		t.Fatalf("headers: %v", zipped.Header())
	}
	z, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, plain.Body.Bytes()) {
		t.Errorf("decompressed to %d bytes, %v", len(got), err)
	}
	short := answered(answerForm{}, map[string]string{"Accept-Encoding": "gzip"}, write(100))
	if short.Header().Get("Content-Encoding") != "" || short.Header().Get("Content-Length") != fmt.Sprint(short.Body.Len()) {
		t.Errorf("a short answer: %v, %d bytes", short.Header(), short.Body.Len())
	}
}

// TestCodesThatHTTPDoesNotHave checks that the refusal of a webhook with a code that HTTP does not have, which is its own
// choice, closes the connection, and does not count as a panic.
func TestCodesThatHTTPDoesNotHave(t *testing.T) {
	for _, code := range []int{-1, 7, 1000, 100_000} {
		f := newFake(t)
		f.answer = func(context.Context, *cluster.Request) (*cluster.Response, error) {
			return nil, &cluster.Status{Code: code, Message: "denied"}
		}
		s := New(f, Options{})
		h := httptest.NewServer(s)
		resp, err := http.Get(h.URL + "/api/v1/namespaces/d/configmaps/a")
		if err == nil {
			_ = resp.Body.Close()
			t.Errorf("%d: got the code %d, want a closed connection", code, resp.StatusCode)
		}
		h.Close()
		if page := ask(s, "GET", "/metrics", "").Body.String(); !strings.Contains(page, "patchlab_panics_total 0") {
			t.Errorf("%d: counts as a panic", code)
		}
	}
}
