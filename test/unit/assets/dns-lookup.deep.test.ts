import { expect } from "chai";
import { lookUp } from "../../../services/assets/dns/lookup.ts";
import { ZoneServer } from "../../simulators/zones.ts";
import { endsBefore } from "../../support/effort.ts";

describe("the time of a look into DNS", () => {
  const silent = new ZoneServer();
  before(() => silent.start());
  after(() => silent.stop());

  it("ends after five seconds, and before where its caller ends it", async () => {
    silent.script = () => null;
    const look = (signal: AbortSignal) => lookUp("zaak.example", "NS", signal, [{ host: "127.0.0.1", port: silent.port }]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const began = performance.now();
    const ends = [endsBefore(5500, look(new AbortController().signal)), endsBefore(1500, look(controller.signal))];
    expect(await Promise.all(ends)).to.deep.equal([null, null]);
    expect(performance.now() - began).to.be.at.least(4500);
  });
});
