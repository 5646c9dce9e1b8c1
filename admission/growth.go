package admission

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/parser"
	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// maxGrowth is how many parts a sum of lists or of texts may have in a policy.
const maxGrowth = 256

// checkGrowth refuses variables of a policy that join lists or texts to longer and longer
// ones, such as thirty of which each is the one before added to itself. Where their types
// are not known, cel-go joins them at no cost: lists without a copy, to walk through every
// part for the size, texts with one. No limit of costs ends that; kube-apiserver would be
// busy for minutes, or use all memory.
func checkGrowth(variables []admissionv1.Variable) error {
	env, err := cel.NewEnv(ext.TwoVarComprehensions())
	if err != nil {
		return err
	}
	known := growths{}
	for _, v := range variables {
		parsed, issues := env.Parse(v.Expression)
		if issues.Err() != nil {
			continue // it is refused where it is compiled
		}
		known[v.Name] = known.of(parsed.NativeRep().Expr())
		if known[v.Name] > maxGrowth {
			return fmt.Errorf("variable %q could be a sum of more than %d parts, which would take too long to evaluate", v.Name, maxGrowth)
		}
	}
	return nil
}

// growths are the most parts of which the values of variables can be the sum.
type growths map[string]int

// of returns the most parts of which the value of an expression can be the sum: those of
// both sides of a plus, of the range and the steps of a comprehension together, and of
// anything else those of what it is made of.
func (g growths) of(e ast.Expr) int {
	switch e.Kind() {
	case ast.SelectKind:
		s := e.AsSelect()
		if operand := s.Operand(); operand.Kind() == ast.IdentKind && operand.AsIdent() == "variables" {
			return max(1, g[s.FieldName()])
		}
		return g.of(s.Operand())
	case ast.CallKind:
		call := e.AsCall()
		if call.FunctionName() == operators.Add {
			if isAccumulator(call.Args()[0]) {
				return g.of(call.Args()[1]) // one step of map or filter adds one item
			}
			return min(g.of(call.Args()[0])+g.of(call.Args()[1]), 2*maxGrowth)
		}
		most := g.most(call.Args())
		if call.IsMemberFunction() {
			most = max(most, g.of(call.Target()))
		}
		return most
	case ast.ListKind:
		return g.most(e.AsList().Elements())
	case ast.MapKind:
		most := 1
		for _, entry := range e.AsMap().Entries() {
			most = max(most, g.of(entry.AsMapEntry().Value()))
		}
		return most
	case ast.StructKind:
		most := 1
		for _, field := range e.AsStruct().Fields() {
			most = max(most, g.of(field.AsStructField().Value()))
		}
		return most
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		return min(g.of(c.IterRange())*g.most([]ast.Expr{c.AccuInit(), c.LoopStep(), c.Result()}), 2*maxGrowth)
	}
	return 1
}

// isAccumulator reports whether an expression is what a comprehension has gathered.
func isAccumulator(e ast.Expr) bool {
	return e.Kind() == ast.IdentKind && (e.AsIdent() == parser.AccumulatorName || e.AsIdent() == parser.HiddenAccumulatorName)
}

func (g growths) most(list []ast.Expr) int {
	most := 1
	for _, e := range list {
		most = max(most, g.of(e))
	}
	return most
}
