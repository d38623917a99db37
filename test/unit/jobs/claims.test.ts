import type { JobParameters } from "agenda";
import { expect } from "chai";
import sinon from "sinon";
import { Prepared } from "../../../core/jobs/prepared-jobs.ts";
import { Claims } from "../../../core/jobs/queue/claims.ts";
import { Recent } from "../../../core/jobs/queue/recent.ts";
import type { Queue } from "../../../core/jobs/store.ts";
import { prepareRuntime } from "../../support/runtime.ts";

const jobs = (count: number) => Array.from({ length: count }, () => ({ name: "mail.send" }) as unknown as JobParameters);

describe("what happened lately", () => {
  let clock: sinon.SinonFakeTimers;
  before(() => prepareRuntime());
  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: 1_000_000 });
  });
  afterEach(() => clock.restore());

  it("is counted by stretches: the running one, and the greater of it and the last", () => {
    const recent = new Recent(500);
    recent.add(7);
    expect([recent.now, recent.most, recent.left]).to.deep.equal([7, 7, 500]);
    clock.tick(600);
    recent.add(2);
    expect([recent.now, recent.most, recent.left]).to.deep.equal([2, 7, 400]);
    clock.tick(500);
    expect([recent.now, recent.most]).to.deep.equal([0, 2]);
    clock.tick(1_000);
    expect([recent.now, recent.most]).to.deep.equal([0, 0]);
  });

  it("lets so many be claimed while requests wait, and the rest in the next stretch", async () => {
    let isPressed = true;
    const asked: number[] = [];
    const claim = async (_name: string, most: number) => {
      asked.push(most);
      return jobs(most);
    };
    const claims = new Claims({ claim, isPressed: () => isPressed });
    const more = () => claims.more("mail.send", () => 80);
    await more();
    await more();
    expect(asked, "120 in a stretch").to.deep.equal([80, 40]);
    const third = more();
    await clock.tickAsync(499);
    expect(asked.length).to.equal(2);
    await clock.tickAsync(1);
    await third;
    expect(asked).to.deep.equal([80, 40, 80]);
    isPressed = false;
    await more();
    expect(asked).to.deep.equal([80, 40, 80, 80]);
  });

  it("decides whether the knowledge of a claimed job is read again", async () => {
    const organisation = "01890000-0000-7000-8000-0000000000a1";
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return [{ id: organisation, result: { one: { name: "company.created" } } }];
    };
    const prepared = new Prepared({ own: true, ask, put: async () => {} } as unknown as Queue);
    const [one, other] = ["one", "other"].map((id) => ({ id, organisation, payload: {}, due: "", key: "k" }));
    await prepared.add([one, other].map((data) => ({ data }) as unknown as JobParameters));
    const told = async (data: typeof one) => (await prepared.employerOf(data as NonNullable<typeof one>))?.organisation.id;
    expect([await told(one), await told(other), asked]).to.deep.equal([organisation, organisation, 2]);
    expect(prepared.turnOf(one as NonNullable<typeof one>)?.event?.name).to.equal("company.created");
    expect(prepared.turnOf(other as NonNullable<typeof one>)).to.equal(undefined);
    clock.tick(1_001);
    expect([await told(one), await told(other), asked], "once for all of them").to.deep.equal([organisation, organisation, 3]);
    expect(prepared.turnOf(one as NonNullable<typeof one>)).to.equal(undefined);
  });
});
