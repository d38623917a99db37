import { expect } from "chai";
import { refusing } from "../../simulators/google-ads/replies.ts";
import { keepEvents, until } from "../../support/jobs.ts";
import { connected } from "../../support/workspace.ts";
import {
  type Advertiser,
  type AdvertisingWorld,
  advertiser,
  connectionIdOf,
  startAdvertising,
  writtenAccount,
} from "./advertising-world.ts";

const PATH = "/ads-platform/accounts";

describe("/ads-platform/accounts (marketing-ads §3.2)", () => {
  let world: AdvertisingWorld;
  let own: Advertiser;
  before(async () => {
    world = await startAdvertising();
    await keepEvents(world.service);
  });
  beforeEach(async () => {
    world.reset();
    // No backfill of an earlier test calls among the calls of this one.
    await world.service.sql.query("update ads_accounts set active = false");
    own = await advertiser(world);
  });
  afterEach(() => expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]));
  after(() => world.stop());

  const post = (body: object) => own.owner.post(PATH, body);
  const events = async () => {
    const { rows } = await world.service.sql.query(
      "select payload from outbox where organisation_id = $1 and event = 'ads.account.attached' order by id",
      [own.tenant.organisation.id],
    );
    return rows.map(({ payload }) => payload);
  };
  /** Backfills that wait, before and after the outbox has passed them on: whether each begins a moment later. */
  const backfills = async () => {
    const { rows } = await world.service.sql.query(
      `select run_at > now() + interval '1 second' as is_later from outbox
        where job = 'ads.accounts.backfill' and relayed_at is null and organisation_id = $1
       union all
       select next_run_at > now() + interval '1 second' from jobs.agenda_jobs
        where name = 'ads.accounts.backfill' and type = 'normal' and next_run_at > now() and data::text like '%' || $1::text || '%'`,
      [own.tenant.organisation.id],
    );
    return rows;
  };

  describe("POST", () => {
    it("accepts every spelling of an id for one account, and keeps omitted fields", async () => {
      const company = await own.tenant.company();
      const first = await post({
        customer_id: "123-456-7890",
        company_id: company.id,
        login_customer_id: "customers/5550001111",
        descriptive_name: " Bakery ",
        currency_code: "usd",
        time_zone: "America/New_York",
      });
      expect(first.status).to.equal(201);
      const { id, ...values } = first.body;
      expect(values).to.deep.equal({
        customer_id: "1234567890",
        customer_id_formatted: "123-456-7890",
        login_customer_id: "5550001111",
        company_id: company.id,
        company_name: company.name,
        connection_id: own.connectionId,
        descriptive_name: "Bakery",
        currency_code: "USD",
        time_zone: "America/New_York",
        is_manager: false,
        test_account: false,
        conversion_tracking_status: null,
        optimization_score: null,
        active: true,
        status: "active",
        last_error: null,
        last_verified_at: null,
        last_synced_at: null,
      });
      for (const customer_id of ["1234567890", "customers/1234567890"]) {
        const { status, body } = await post({ customer_id });
        expect([status, body], customer_id).to.deep.equal([201, first.body]);
      }
      expect((await post({ customer_id: "1234567890", currency_code: "EUR" })).body).to.deep.equal({
        ...first.body,
        currency_code: "EUR",
      });
      expect((await own.owner.get(PATH)).body).to.have.length(1);
      expect((await own.owner.get(`${PATH}/${id}`)).body.currency_code).to.equal("EUR");
    });

    it("names an account by its id where no name is sent", async () => {
      expect((await post({ customer_id: " 123-456-7890 " })).body).to.include({
        customer_id: "1234567890",
        customer_id_formatted: "123-456-7890",
        descriptive_name: "1234567890",
      });
    });

    it("refuses an id that is not ten digits, an unknown zone and an invalid currency", async () => {
      const refused: [object, object][] = [
        [{ customer_id: "abc" }, { customer_id: "errors.ads_platform_customer_id_invalid" }],
        ...["123456789", "12345678901", "12-3456-7890", "customers/1234567890/campaigns/1", "ids 1234567890"].map(
          (customer_id): [object, object] => [{ customer_id }, { customer_id: "errors.ads_platform_customer_id_invalid" }],
        ),
        [
          { customer_id: "1234567890", login_customer_id: "555" },
          { login_customer_id: "errors.ads_platform_customer_id_invalid" },
        ],
        [{ customer_id: "1234567890", time_zone: "Mars/Olympus" }, { time_zone: "errors.invalid_value" }],
        [{ customer_id: "1234567890", currency_code: "E1" }, { currency_code: "errors.invalid_value" }],
      ];
      for (const [body, fields] of refused) {
        const answer = await post(body);
        expect([answer.status, answer.body.error.fields], JSON.stringify(body)).to.deep.equal([422, fields]);
      }
      expect((await post({ customer_id: "1234567890", company_id: own.tenant.organisation.id })).status).to.equal(404);
    });

    it("links an unlinked account again as the same one, with the caller's connection, and reads the missed days", async () => {
      const { body } = await post({ customer_id: "1234567890" });
      expect(await backfills()).to.deep.equal([{ is_later: true }]);
      await world.service.sql.query("update ads_accounts set backfilled_at = now() where id = $1", [body.id]);
      expect((await own.owner.delete(`${PATH}/${body.id}`)).status).to.equal(204);
      expect((await own.owner.get(`${PATH}/${body.id}`)).body.active).to.equal(false);
      const ann = await own.tenant.member("admin");
      await connected(world.google, ann, { query: "include_ads=true" });
      const again = await ann.post(PATH, { customer_id: "1234567890" });
      expect(again.body).to.include({ id: body.id, active: true, connection_id: await connectionIdOf(world.service, ann) });
      const { rows } = await world.service.sql.query("select backfilled_at from ads_accounts where id = $1", [body.id]);
      expect(rows[0].backfilled_at).to.equal(null);
    });

    it("reports an account of a client, but not one without a client", async () => {
      await post({ customer_id: "1110000000" });
      expect(await events()).to.deep.equal([]);
      const company = await own.tenant.company();
      const { body } = await post({
        customer_id: "2220000000",
        company_id: company.id,
        currency_code: "EUR",
        login_customer_id: "9000000000",
      });
      expect(await events()).to.deep.equal([
        {
          account_id: body.id,
          company_id: company.id,
          customer_id: "2220000000",
          descriptive_name: "2220000000",
          currency: "EUR",
          manager_id: "9000000000",
          connection_id: own.connectionId,
        },
      ]);
    });

    it("makes one account of twenty that link it at once", async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => post({ customer_id: "3330000000" })));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).to.equal(1);
    });
  });

  describe("GET", () => {
    it("lists by name and id, unlinked ones too unless excluded, and by client", async () => {
      const company = await own.tenant.company();
      await post({ customer_id: "3000000000", descriptive_name: "beta" });
      await post({ customer_id: "2000000000", descriptive_name: "Alpha", company_id: company.id });
      await post({ customer_id: "1000000000", descriptive_name: "alpha" });
      const { body } = await post({ customer_id: "4000000000", descriptive_name: "Gone" });
      await own.owner.delete(`${PATH}/${body.id}`);
      const ids = async (query = "") =>
        (await own.owner.get(`${PATH}${query}`)).body.map((one: { customer_id: string }) => one.customer_id);
      expect(await ids()).to.deep.equal(["1000000000", "2000000000", "3000000000", "4000000000"]);
      expect(await ids("?active_only=true")).to.deep.equal(["1000000000", "2000000000", "3000000000"]);
      expect(await ids(`?company_id=${company.id}`)).to.deep.equal(["2000000000"]);
    });

    it("shows restricted staff the accounts of their clients and those of no client", async () => {
      const [mine, other] = [await own.tenant.company(), await own.tenant.company()];
      const made = [
        await post({ customer_id: "1234567890", company_id: mine.id }),
        await post({ customer_id: "2000000000", company_id: other.id }),
        await post({ customer_id: "3000000000" }),
      ];
      const ann = await own.tenant.member("admin");
      await own.tenant.group("mine", [mine.id], [ann.membershipId]);
      const { body } = await ann.get(PATH);
      expect(body.map((one: { customer_id: string }) => one.customer_id)).to.deep.equal(["1234567890", "3000000000"]);
      const hidden = `${PATH}/${made[1]?.body.id}`;
      for (const answer of [
        await ann.get(hidden),
        await ann.patch(hidden, { active: false }),
        await ann.delete(hidden),
        await ann.post(`${hidden}/verify`),
        await ann.get(`${hidden}/trend`),
        await ann.post(PATH, { customer_id: "2000000000" }),
        await ann.patch(`${PATH}/${made[0]?.body.id}`, { company_id: other.id }),
      ])
        expect([answer.status, answer.body.error.code]).to.deep.equal([404, "not_found"]);
      expect(world.ads.calls().filter((call) => call.includes("/customers/2000000000/"))).to.deep.equal([]);
    });
  });

  describe("PATCH", () => {
    it("changes client, manager and whether it is linked, with a line of the trail, and reports a new client", async () => {
      const company = await own.tenant.company();
      const { body } = await post({ customer_id: "1000000000", descriptive_name: "Bakery" });
      const path = `${PATH}/${body.id}`;
      expect((await own.owner.patch(path, { company_id: company.id, login_customer_id: "550-000-0000" })).body).to.include({
        company_id: company.id,
        company_name: company.name,
        login_customer_id: "5500000000",
      });
      expect(await events()).to.have.length(1);
      expect((await own.owner.patch(path, { company_id: null, login_customer_id: null })).body).to.include({
        company_id: null,
        company_name: null,
        login_customer_id: null,
      });
      expect((await own.owner.patch(path, { active: false })).body.active).to.equal(false);
      expect((await own.owner.patch(path, { active: true })).body.active).to.equal(true);
      expect(await events()).to.have.length(1);
      const { rows } = await world.service.sql.query(
        "select action, payload -> 'changes' as changes from activity where entity_id = $1 order by id",
        [body.id],
      );
      expect(rows.map(({ action, changes }) => [action, Object.keys(changes ?? {}).toSorted()])).to.deep.equal([
        ["created", []],
        ["updated", ["company_id", "login_customer_id"]],
        ["updated", ["company_id", "login_customer_id"]],
        ["updated", ["active"]],
        ["updated", ["active"]],
      ]);
    });
  });

  describe("POST …/verify", () => {
    it("stores the provider's values, and clears the last error", async () => {
      own.customer.values.timeZone = "Pacific/Auckland";
      own.customer.values.currencyCode = "NZD";
      own.customer.values.testAccount = true;
      own.customer.values.optimizationScore = 0.625;
      const id = await writtenAccount(world.service, own, { status: "error", last_error: "x", descriptive_name: "old" });
      const { status, body } = await own.owner.post(`${PATH}/${id}/verify`);
      expect(status).to.equal(200);
      expect(body).to.include({
        descriptive_name: "Bakery",
        currency_code: "NZD",
        time_zone: "Pacific/Auckland",
        is_manager: false,
        test_account: true,
        conversion_tracking_status: "CONVERSION_TRACKING_MANAGED_BY_SELF",
        optimization_score: 0.625,
        status: "active",
        last_error: null,
      });
      expect(body.last_verified_at).to.be.a("string");
    });

    it("is 200 where it fails, with status, provider's code and text in the last error, scrubbed", async () => {
      const id = await writtenAccount(world.service, own);
      world.ads.fail(
        refusing(403, {
          group: "authorizationError",
          value: "CUSTOMER_NOT_ENABLED",
          message: "Not enabled for 1-a.apps.googleusercontent.com.",
        }),
      );
      const { status, body } = await own.owner.post(`${PATH}/${id}/verify`);
      expect([status, body.status, body.last_error, body.last_verified_at]).to.deep.equal([
        200,
        "error",
        "HTTP 403 authorizationError.CUSTOMER_NOT_ENABLED: Not enabled for ***.",
        null,
      ]);
    });

    it("is 200 without anything to call with, and calls nothing", async () => {
      const id = await writtenAccount(world.service, own, { connection_id: null });
      const { status, body } = await own.owner.post(`${PATH}/${id}/verify`);
      expect([status, body.status, body.last_error]).to.deep.equal([200, "error", "errors.ads_platform_not_configured"]);
      expect(world.ads.calls().filter((call) => call.includes(`/customers/${own.customer.id}/`))).to.deep.equal([]);
    });
  });

  describe("GET …/available", () => {
    const AVAILABLE = `${PATH}/available`;
    const isOf = (customerId: string) => (call: string) => call.includes(`/customers/${customerId}/`);

    it("offers accounts reached directly and below managers, by name, each once (S22)", async () => {
      const { state } = world.ads;
      const manager = state.customer({ manager: true, descriptiveName: "Agency" });
      const inner = state.customer({ manager: true, descriptiveName: "Inner" }, manager);
      const cafe = state.customer({ descriptiveName: "cafe", currencyCode: "USD", timeZone: "America/New_York" }, inner);
      state.customer({ descriptiveName: "Closed", status: "CANCELED" }, manager);
      manager.children.push(own.customer);
      const refused = state.customer({ descriptiveName: "Suspended", status: "SUSPENDED" });
      state.let(own.person.subject, manager, refused);
      await post({ customer_id: cafe.id });
      const { status, body } = await own.owner.get(AVAILABLE);
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        accounts: [
          {
            customer_id: own.customer.id,
            customer_id_formatted: own.customer.id.replace(/(...)(...)(....)/, "$1-$2-$3"),
            descriptive_name: "Bakery",
            login_customer_id: null,
            currency_code: "EUR",
            time_zone: "Europe/Amsterdam",
            hint: "",
            already_linked: false,
          },
          {
            customer_id: cafe.id,
            customer_id_formatted: cafe.id.replace(/(...)(...)(....)/, "$1-$2-$3"),
            descriptive_name: "cafe",
            login_customer_id: manager.id,
            currency_code: "USD",
            time_zone: "America/New_York",
            hint: "Agency",
            already_linked: true,
          },
        ],
        warnings: [],
      });
      expect(world.ads.queries().filter((query) => query.includes("customer_client"))).to.have.length(1);
      // Every later call carries the manager's id.
      const { body: linked } = await post({ customer_id: cafe.id, login_customer_id: manager.id });
      expect((await own.owner.post(`${PATH}/${linked.id}/verify`)).body.status).to.equal("active");
      expect(world.ads.calls().some(isOf(cafe.id))).to.equal(true);
    });

    it("offers 500 accounts of a manager, and says where there are more", async () => {
      const manager = world.ads.state.customer({ manager: true });
      world.ads.state.let(own.person.subject, manager);
      for (let at = 0; at < 500; at++) world.ads.state.customer({}, manager);
      const few = (await own.owner.get(AVAILABLE)).body;
      expect([few.accounts.length, few.warnings]).to.deep.equal([501, []]);
      world.ads.state.customer({}, manager);
      const { body } = await own.owner.get(AVAILABLE);
      expect([body.accounts.length, body.warnings]).to.deep.equal([501, ["ads.warning.manager_children_capped"]]);
    });

    it("is 409 for a caller without a grant, regardless of colleagues' grants, and without the scope", async () => {
      const ann = await own.tenant.member("admin");
      const refused = async () => {
        const { status, body } = await ann.get(AVAILABLE);
        expect([status, body.error.code]).to.deep.equal([409, "ads_platform_not_configured"]);
      };
      await refused();
      await connected(world.google, ann);
      await refused();
      expect(world.ads.calls("listAccessibleCustomers")).to.deep.equal([]);
    });

    it("reports the provider's refusal", async () => {
      world.ads.versions.clear();
      const { status, body } = await own.owner.get(AVAILABLE);
      expect([status, body.error.code]).to.deep.equal([502, "ads_platform_api_version"]);
    });
  });

  describe("a link of marketing (S19)", () => {
    const follow = async (payload: object) => {
      const [id, company] = [crypto.randomUUID(), await own.tenant.company()];
      const whole = {
        link_id: id,
        company_id: company.id,
        source: "gads",
        external_id: "777-000-1111",
        display_name: "From marketing",
        currency: "EUR",
        manager_id: "5500000000",
        connection_id: own.connectionId,
        ...payload,
      };
      await world.service.sql.query(
        `insert into outbox (id, organisation_id, event, entity_type, entity_id, payload) values ($1, $2, 'marketing.link.attached', 'marketing_link', $3, $4)`,
        [crypto.randomUUID(), own.tenant.organisation.id, id, JSON.stringify(whole)],
      );
      return company;
    };
    const listed = async () => (await own.owner.get(PATH)).body;

    it("to Google Ads is an account too, and marketing is not notified again", async () => {
      const company = await follow({});
      const [account] = await until(async () => {
        const all = await listed();
        return all.length > 0 ? all : null;
      });
      expect(account).to.include({
        customer_id: "7770001111",
        descriptive_name: "From marketing",
        company_id: company.id,
        currency_code: "EUR",
        login_customer_id: "5500000000",
        connection_id: own.connectionId,
      });
      expect(await events()).to.deep.equal([]);
      // The provider knows no such account, so that its backfill leaves an error.
      await until(async () => (await listed())[0].last_error !== null);
    });

    it("keeps the known values of an account that is already linked", async () => {
      const mine = await own.tenant.company();
      const { body } = await post({
        customer_id: "7770001111",
        company_id: mine.id,
        descriptive_name: "Known",
        currency_code: "USD",
      });
      await follow({});
      await until(async () => (await listed())[0].login_customer_id === "5500000000");
      expect(await listed()).to.deep.equal([{ ...body, login_customer_id: "5500000000" }]);
      expect(await events()).to.have.length(1);
    });
  });
});
