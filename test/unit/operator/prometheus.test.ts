import { expect } from "chai";
import { summable } from "../../../operator/prometheus.ts";

describe("the text of Prometheus metrics", () => {
  it("keeps buckets, sum and count of a histogram, and all of every other metric", () => {
    const kept = [
      "# HELP a_seconds Seconds",
      "# TYPE a_seconds histogram",
      'a_seconds_bucket{le="1"} 2',
      'a_seconds_bucket{le="+Inf"} 2',
      "a_seconds_sum{} 0.5",
      "a_seconds_count{} 2",
      "",
      "# HELP b_max Largest",
      "# TYPE b_max gauge",
      'b_max{quantile="0.99"} 3',
    ];
    const left = ['a_seconds{quantile="0.5"} 1', "a_seconds_min{} 0", "a_seconds_variance{} NaN", "a_seconds_stddev{} NaN"];
    expect(summable([...kept.slice(0, 4), ...left, ...kept.slice(4)].join("\n"))).to.equal(kept.join("\n"));
  });
});
