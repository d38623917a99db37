import { expect } from "chai";
import type { Service } from "moleculer";
import sinon from "sinon";
import { licensable } from "../../../core/declare/permissions.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { fire } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("replaces functions of the process");

describe("the end of the trial, where the operator asks for licences (conventions §7)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_LICENSING: "required" });
    await jobsOf(service.node.broker).ready();
  });
  after(() => service.stop());
  beforeEach(async () => {
    await service.sql.query("truncate product_licences");
    await service.sql.query("update organisations set status = 'deleted'");
    tenant = await service.tenant();
  });

  /** Installed so long ago. @returns when the trial ends */
  const installed = async (ago: string): Promise<number> => {
    const { rows } = await service.sql.query(
      "update installation set installed_at = now() - $1::interval returning installed_at + interval '14 days' as ends",
      [ago],
    );
    // An installation is not moved in life, so that no cached principal is bound to it; a licence that changes is.
    await service.sql.query("truncate product_licences");
    return Date.parse(rows[0].ends);
  };
  const announce = () => fire(service, "system.announce-trial-end");
  const mails = async () =>
    (
      await service.sql.query(
        "select to_address, variables, entity_id from mails where organisation_id = $1 and kind = 'trial-ending' order by to_address",
        [tenant.organisation.id],
      )
    ).rows;
  const licensing = async () => (await tenant.owner.get("/system/info")).body.licensing;

  it("is in system/info, before and after", async () => {
    for (const ago of ["1 hour", "30 days"]) {
      const ends = await installed(ago);
      const { required, trial_ends_at: shown } = await licensing();
      expect(required).to.equal(true);
      expect(Date.parse(shown)).to.equal(ends);
    }
    await service.sql.query("insert into product_licences (module, expires_at) select unnest($1::text[]), now()", [licensable()]);
    expect(await licensing(), "nothing depends on it").to.deep.equal({ required: true, trial_ends_at: null });
  });

  it("is mailed to those who can see the installation, each once, from the tenth day on", async () => {
    const admin = await tenant.member("admin");
    await tenant.member("member");
    const gone = await tenant.member("admin");
    await service.sql.query("update memberships set deactivated_at = now() where id = $1", [gone.membershipId]);
    await installed("8 days 23 hours");
    await announce();
    expect(await mails()).to.deep.equal([]);
    const ends = await installed("9 days 1 hour");
    await announce();
    const reported = await mails();
    expect(reported.map(({ to_address }) => to_address)).to.have.members([tenant.owner.email, admin.email]);
    const date = (locale: string) =>
      new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "Europe/Amsterdam" }).format(ends);
    expect(reported[0].variables).to.deep.equal({ ends_on: { nl: date("nl-NL"), en: date("en-GB") } });
    const late = await tenant.member("admin");
    await announce();
    expect((await mails()).map(({ to_address }) => to_address)).to.have.members([tenant.owner.email, admin.email, late.email]);
  });

  it("is mailed to none once it is over, or where a licence lists every module", async () => {
    await installed("14 days 1 hour");
    await announce();
    await installed("11 days");
    await service.sql.query("insert into product_licences (module, expires_at) select unnest($1::text[]), now()", [licensable()]);
    await announce();
    expect(await mails()).to.deep.equal([]);
  });

  it("is in the log of a start from the tenth day on", async () => {
    const actor = service.node.broker.getLocalService("system.trial") as Service;
    const logged = async (ago: string) => {
      const ends = await installed(ago);
      const warn = sinon.stub(actor.logger, "warn");
      try {
        // Moleculer makes a list of it where a service has mixins.
        for (const started of [actor.schema.started].flat()) await (started as (this: Service) => Promise<void>).call(actor);
        return warn.args.map(([, text]) => String(text).includes(new Date(ends).toISOString()));
      } finally {
        warn.restore();
      }
    };
    expect(await logged("8 days")).to.deep.equal([]);
    expect(await logged("10 days")).to.deep.equal([true]);
    expect(await logged("15 days")).to.deep.equal([]);
  });
});
