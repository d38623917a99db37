import { expect } from "chai";
import { type DemoService, startDemo } from "../../support/examples.ts";

/** The other end of a span, which is sent together with the first. */
const OTHER_END: Readonly<Record<string, string>> = { date_from: "date_to", date_to: "date_from" };

describe("examples of optional parameters, sent to the demo", function () {
  this.timeout(300_000);
  let demo: DemoService;
  before(async () => {
    demo = await startDemo();
  });
  after(() => demo?.service.stop());

  it("are accepted one by one by every operation that answers without them", async () => {
    const refused: string[] = [];
    let sent = 0;
    for (const { path, optional } of demo.reads) {
      if ((await demo.get(path)).status >= 400) continue;
      for (const [name, text] of Object.entries(optional)) {
        // A cursor is sealed for the caller who got it.
        if (name === "cursor") continue;
        const end = optional[OTHER_END[name] ?? ""];
        const call = `${path}${path.includes("?") ? "&" : "?"}${[text, end].filter(Boolean).join("&")}`;
        const { status, text: said } = await demo.get(call);
        sent += 1;
        if (status >= 400) refused.push(`${call}: ${status} ${said.slice(0, 200)}`);
      }
    }
    expect(sent).to.be.greaterThan(500);
    expect(refused).to.deep.equal([]);
  });
});
