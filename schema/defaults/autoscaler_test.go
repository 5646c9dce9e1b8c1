package defaults

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func TestConvertAutoscaler(t *testing.T) {
	catalog := builtin(t)
	kind := func(version string) *schema.Kind {
		k, _ := catalog.Kind(schema.GroupVersionKind{Group: "autoscaling", Version: version, Kind: "HorizontalPodAutoscaler"})
		return k
	}
	const newer = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},"spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"D","name":"d"},
	"behavior":{"scaleUp":{"selectPolicy":"Max","policies":[{"type":"Pods","value":4,"periodSeconds":15}]}},
	"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":70}}},
	{"type":"Pods","pods":{"metric":{"name":"m","selector":{"matchExpressions":[{"key":"k","operator":"In","values":["v"]}],"matchLabels":{"a":"b"}}},"target":{"type":"AverageValue","averageValue":"1k"}}}]},
	"status":{"desiredReplicas":1,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":50,"averageValue":"5m"}}}],
	"conditions":[{"type":"AbleToScale","status":"True","reason":"r"}]}}`
	const older = `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"annotations":{` +
		`"autoscaling.alpha.kubernetes.io/behavior":"{\"ScaleUp\":{\"StabilizationWindowSeconds\":null,\"SelectPolicy\":\"Max\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":4,\"PeriodSeconds\":15}],\"Tolerance\":null},\"ScaleDown\":null}",` +
		`"autoscaling.alpha.kubernetes.io/conditions":"[{\"type\":\"AbleToScale\",\"status\":\"True\",\"lastTransitionTime\":null,\"reason\":\"r\"}]",` +
		`"autoscaling.alpha.kubernetes.io/current-metrics":"[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"currentAverageUtilization\":50,\"currentAverageValue\":\"5m\"}}]",` +
		`"autoscaling.alpha.kubernetes.io/metrics":"[{\"type\":\"Pods\",\"pods\":{\"metricName\":\"m\",\"targetAverageValue\":\"1k\",\"selector\":{\"matchLabels\":{\"a\":\"b\"},\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\",\"values\":[\"v\"]}]}}}]"},` +
		`"name":"h"},"spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"D","name":"d"},"targetCPUUtilizationPercentage":70},"status":{"currentCPUUtilizationPercentage":50,"currentReplicas":0,"desiredReplicas":1}}`
	one := Convert(parse(t, newer), kind("v1"))
	if one.String() != older {
		t.Errorf("to v1:\n got %s\nwant %s", one, older)
	}
	// Times that v1 lacks are null; the CPU metric comes last.
	want := parse(t, newer)
	metrics := want.Lookup("spec", "metrics")
	want = want.Set(document.NewList(metrics.At(1), metrics.At(0)), "spec", "metrics")
	want, _, err := Decode(kind("v2"), want, FromJSON)
	if err != nil {
		t.Fatal(err)
	}
	if two := Convert(one, kind("v2")); !document.Equal(two, want) {
		t.Errorf("to v2:\n got %s\nwant %s", two, want)
	}
	// v1 drops annotations that cannot be decoded.
	odd := parse(t, `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"annotations":{"a":"b","autoscaling.alpha.kubernetes.io/metrics":"no JSON","autoscaling.alpha.kubernetes.io/behavior":"{}"}}}`)
	got, _, err := Decode(kind("v1"), odd, FromJSON)
	if err != nil || got.Lookup("metadata", "annotations").String() != `{"a":"b"}` {
		t.Errorf("odd annotations: %s, %v", got, err)
	}
}
