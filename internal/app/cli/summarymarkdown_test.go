package cli

import "testing"

// TestMarkdownText: a name neither formats text nor ends the cell of a table, and notifies nobody.
func TestMarkdownText(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"an object", "Deployment.apps web in namespace shop", "Deployment.apps web in namespace shop"},
		{"the end of a cell", `a\|b`, `a&#92;&#124;b`},
		{"HTML", "</details><img src=x>&lt;", "&#60;/details&#62;&#60;img src=x&#62;&#38;lt;"},
		{"a link, and an image", "![a](https://example.com)", "!&#91;a&#93;(https://example.com)"},
		{"marks", "*a*_b_`c`~d~$e$", "&#42;a&#42;&#95;b&#95;&#96;c&#96;&#126;d&#126;&#36;e&#36;"},
		{"a user and an issue of GitHub", "@octocat #1", "@&#8203;octocat #&#8203;1"},
		{"several lines, and a hidden character", "a\n\n# b\u202e", `a  #&#8203; b&#92;u202e`},
	} {
		if got := markdownText(c.text); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}
