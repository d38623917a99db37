import { expect } from "chai";
import { PARTS, type Part, type Readiness, readinessOf } from "../../../core/health/readiness.ts";
import { firstReady, PROBE_BOUND } from "../../../services/api/http/readiness.ts";

const never = new Promise<Readiness>(() => {});
/** Nodes that are ready, and that lack their schema. */
const READY = readinessOf([]);
const BEHIND = readinessOf(["schema"]);
const says = (readiness: Readiness) => Promise.resolve(readiness);
/** A bound that no test reaches. */
const LATE = 600_000;

describe("the answer to a probe of readiness", () => {
  it("is bound below half a second", () => expect(PROBE_BOUND).to.be.lessThan(500));

  it("is 503 when no node answers in time, and names what the nodes are reached by", async () => {
    expect(await firstReady([never, never], 1, "transport")).to.deep.equal({
      status: 503,
      body: { status: "degraded", missing: ["transport"] },
    });
  });

  it("is that of the node which is ready, whatever the others do", async () => {
    expect(await firstReady([never, says(BEHIND), says(READY)], LATE, "transport")).to.equal(READY);
    expect(await firstReady([Promise.reject(new Error("gone")), says(READY), never], LATE, "transport")).to.equal(READY);
  });

  it("waits for a node that is ready after another has said no", async () => {
    const late = Promise.withResolvers<Readiness>();
    const answer = firstReady([says(BEHIND), late.promise], LATE, "transport");
    await says(BEHIND);
    late.resolve(READY);
    expect((await answer).status).to.equal(200);
  });

  it("is a refusal as soon as all have refused or failed", async () => {
    expect(await firstReady([says(BEHIND)], LATE, "transport")).to.equal(BEHIND);
    for (const answers of [[Promise.reject(new Error("gone"))], []])
      expect(await firstReady(answers, LATE, "database")).to.deep.equal(readinessOf(["database"]));
  });
});

describe("the readiness of a node", () => {
  const cases: [missing: Part[], isServing: boolean, readiness: Readiness][] = [
    [[], true, { status: 200, body: { status: "ok" } }],
    [[], false, { status: 503, body: { status: "degraded" } }],
    [
      ["store", "transport", "schema"],
      true,
      { status: 503, body: { status: "degraded", missing: ["schema", "transport", "store"] } },
    ],
    [[...PARTS], false, { status: 503, body: { status: "degraded", missing: [...PARTS] } }],
  ];
  for (const [missing, isServing, readiness] of cases)
    it(`${isServing ? "that serves" : "that starts or stops"} and lacks ${missing.join(", ") || "nothing"} is ${readiness.status}`, () =>
      expect(readinessOf(missing, isServing)).to.deep.equal(readiness));
});
