import { expect } from "chai";
import { firstReady, PROBE_BOUND, type Readiness } from "../../../services/api/http/readiness.ts";

const never = new Promise<Readiness>(() => {});
const says = (status: number) => Promise.resolve({ status, body: { status: String(status) } });
/** A bound that no test reaches. */
const LATE = 600_000;

describe("the answer to a probe of readiness", () => {
  it("is bound below half a second", () => expect(PROBE_BOUND).to.be.lessThan(500));

  it("is 503 when no node answers in time", async () => {
    expect(await firstReady([never, never], 1)).to.deep.equal({ status: 503, body: { status: "degraded" } });
  });

  it("is that of the node which is ready, whatever the others do", async () => {
    expect((await firstReady([never, says(503), says(200)], LATE)).status).to.equal(200);
    expect((await firstReady([Promise.reject(new Error("gone")), says(200), never], LATE)).status).to.equal(200);
  });

  it("waits for a node that is ready after another has said no", async () => {
    const late = Promise.withResolvers<Readiness>();
    const answer = firstReady([says(503), late.promise], LATE);
    await says(503);
    late.resolve({ status: 200 });
    expect((await answer).status).to.equal(200);
  });

  it("is a refusal as soon as all have refused or failed", async () => {
    expect(await firstReady([says(503)], LATE)).to.deep.equal({ status: 503, body: { status: "503" } });
    expect((await firstReady([Promise.reject(new Error("gone"))], LATE)).status).to.equal(503);
    expect((await firstReady([], LATE)).status).to.equal(503);
  });
});
