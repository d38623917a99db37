import { expect } from "chai";
import { ServiceBroker } from "moleculer";
import { busiest, OrganisationLoad } from "../../../services/api/http/organisation-load.ts";

const load = (requests: number, milliseconds: number) => ({ requests, milliseconds });

describe("the busiest organisations", () => {
  it("are those whose requests took longest, the busiest first, then by name", () => {
    const loads = new Map([
      ["many", load(100, 50)],
      ["slow", load(1, 900)],
      ["b", load(1, 70)],
      ["a", load(2, 70)],
    ]);
    expect(busiest(loads, 3).map(([name]) => name)).to.deep.equal(["slow", "a", "b"]);
  });

  describe("as metrics", () => {
    let broker: ServiceBroker;
    let measured: OrganisationLoad;
    beforeEach(() => {
      broker = new ServiceBroker({ logger: false, metrics: true });
      measured = new OrganisationLoad(broker.metrics);
    });
    afterEach(() => measured.stop());

    const shown = (name: string) => {
      const rows = broker.metrics.getMetric(name)?.snapshot() as unknown as { labels: { organisation: string }; value: number }[];
      return rows.map(({ labels, value }) => [labels.organisation, value]);
    };

    it("are ten of a thousand", () => {
      for (let index = 0; index < 1000; index++) {
        const name = `organisation-${String(index).padStart(3, "0")}`;
        measured.add(name, index);
        measured.add(name, index);
      }
      measured.publish();
      const names = ["999", "998", "997", "996", "995", "994", "993", "992", "991", "990"].map((end) => `organisation-${end}`);
      expect(shown("kantoor.organisation.requests")).to.deep.equal(names.map((name) => [name, 2]));
      expect(shown("kantoor.organisation.busy.seconds")[0]).to.deep.equal(["organisation-999", 1.998]);
    });

    it("are those of the time since they were last shown", () => {
      measured.add("one", 1);
      measured.publish();
      measured.add("other", 1);
      measured.publish();
      expect(shown("kantoor.organisation.requests")).to.deep.equal([["other", 1]]);
      measured.publish();
      expect(shown("kantoor.organisation.requests")).to.deep.equal([]);
    });
  });
});
