import { expect } from "chai";
import { isNewer } from "../../../core/providers/updates/releases.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import manifest from "../../../package.json" with { type: "json" };
import { ReleasesSimulator } from "../../simulators/releases.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { fire } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

const NOTHING = { latest: null, release_url: null, checked_at: null, update_available: false };
const page = "https://github.example/kantoor/releases/tag/v9.2.0";

describe("the update check", () => {
  const releases = new ReleasesSimulator();
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    await releases.start();
    service = await startService({ SERVICE_UPDATE_API_URL: releases.baseUrl, SERVICE_GIT_SHA: "0a1b2c3" });
    tenant = await service.tenant();
    await jobsOf(service.node.broker).ready();
  });
  beforeEach(async () => {
    releases.reset();
    await service.sql.query("update installation set latest_version = null, latest_release_url = null, latest_checked_at = null");
  });
  afterEach(() => expect(releases.complaints).to.deep.equal([]));
  after(async () => {
    await service.stop();
    await releases.stop();
  });

  const update = async () => (await tenant.owner.get("/system/info")).body.update;
  const check = () => fire(service, "system.update-check");

  it("is a daily job at 05:00 UTC", () => {
    const { definitions } = jobsOf(service.node.broker);
    const { schedule, per } = definitions.find(({ name }) => name === "system.update-check") ?? {};
    expect([schedule, per]).to.deep.equal(["0 5 * * *", "installation"]);
  });

  it("shows nothing before the first check", async () => {
    expect(await update()).to.deep.equal({ enabled: true, current: manifest.version, ...NOTHING });
  });

  it("shows a newer release with its page and the moment of the check", async () => {
    releases.release = { tag_name: "v9.2.0", html_url: page };
    const began = Date.now();
    await check();
    const { checked_at: checkedAt, ...found } = await update();
    expect(found).to.deep.equal({
      enabled: true,
      current: manifest.version,
      latest: "9.2.0",
      release_url: page,
      update_available: true,
    });
    expect(Date.parse(checkedAt)).to.be.within(began - 1000, Date.now() + 1000);
  });

  it("says that the running version is the newest", async () => {
    releases.release = { tag_name: manifest.version, html_url: page };
    await check();
    expect(await update()).to.include({ latest: manifest.version, update_available: false });
  });

  it("keeps a result for seven days", async () => {
    releases.release = { tag_name: "9.2.0", html_url: page };
    await check();
    const age = (days: string) =>
      service.sql.query("update installation set latest_checked_at = now() - $1::interval", [`${days} days`]);
    await age("6.9");
    expect(await update()).to.include({ latest: "9.2.0", update_available: true });
    await age("7.1");
    expect(await update()).to.include(NOTHING);
  });

  it("never shows an address that no browser should open", async () => {
    releases.release = { tag_name: "9.2.0", html_url: "javascript:alert(1)" };
    await check();
    expect(await update()).to.include({ latest: "9.2.0", release_url: null });
  });

  for (const [what, spoil] of [
    ["nothing was released", () => (releases.release = null)],
    ["the tag is no version", () => (releases.release = { tag_name: "nightly", html_url: page })],
    ["the answer has no tag", () => (releases.release = {})],
  ] as const)
    it(`changes nothing when ${what}`, async () => {
      releases.release = { tag_name: "9.2.0", html_url: page };
      await check();
      const before = await update();
      spoil();
      await check();
      expect(await update()).to.deep.equal(before);
      expect(releases.received).to.have.length(2);
    });
});

describe("the update check of a build without a commit", () => {
  it("makes no call", async () => {
    const releases = new ReleasesSimulator();
    await releases.start();
    const service = await startService({ SERVICE_UPDATE_API_URL: releases.baseUrl });
    try {
      const { owner } = await service.tenant();
      await jobsOf(service.node.broker).ready();
      await fire(service, "system.update-check");
      expect(releases.received).to.deep.equal([]);
      expect((await owner.get("/system/info")).body.update).to.deep.equal({
        enabled: false,
        current: manifest.version,
        ...NOTHING,
      });
    } finally {
      await service.stop();
      await releases.stop();
    }
  });
});

describe("isNewer", () => {
  for (const [version, than, expected] of [
    ["1.0.1", "1.0.0", true],
    ["1.10.0", "1.9.9", true],
    ["2.0.0", "1.99.99", true],
    ["1.0.0", "1.0.0", false],
    ["v1.0.0", "1.0.0", false],
    ["0.9.9", "1.0.0", false],
    ["1.9.0", "1.10.0", false],
    ["1.0", "0.1.0", false],
  ] as const)
    it(`${version} after ${than}: ${expected}`, () => expect(isNewer(version, than)).to.equal(expected));
});
