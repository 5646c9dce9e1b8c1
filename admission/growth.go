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

// maxGrowth is the maximum number of parts of a concatenation of lists or strings in a policy.
const maxGrowth = 256

// checkGrowth refuses policy variables that concatenate lists or strings to exponentially long
// ones, such as thirty variables that each add the previous one to itself. cel-go charges
// nothing for concatenating values whose types are unknown, but copies strings, and visits
// every part of a list to find its size. The cost limit does not stop that; kube-apiserver
// would be busy for minutes or use all memory.
func checkGrowth(variables []admissionv1.Variable) error {
	env, err := cel.NewEnv(ext.TwoVarComprehensions())
	if err != nil {
		return err
	}
	known := growths{}
	for _, v := range variables {
		parsed, issues := env.Parse(v.Expression)
		if issues.Err() != nil {
			continue // reported by the compilation of the policy
		}
		known[v.Name] = known.of(parsed.NativeRep().Expr())
		if known[v.Name] > maxGrowth {
			return fmt.Errorf("variable %q may concatenate more than %d parts, which would take too long to evaluate", v.Name, maxGrowth)
		}
	}
	return nil
}

// growths holds, by variable, the maximum number of parts that its value is concatenated from.
type growths map[string]int

// of returns the maximum number of parts that the value of an expression is concatenated from:
// the sum for the operands of a plus and for the range and the steps of a comprehension, and
// the maximum of the operands for anything else.
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

// isAccumulator reports whether an expression is the accumulator of a comprehension.
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
