import { expect } from "chai";
import { seal } from "../../../core/database/sealed.ts";
import { ChannelsSimulator } from "../../simulators/channels.ts";
import { NameServer } from "../../simulators/names.ts";
import { PushService } from "../../simulators/push-service.ts";
import { Mailbox, relayOf } from "../../support/mail/mailbox.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";
import { type Body, bodyOf, prefer } from "./inbox-records.ts";

const PATH = "/notifications/channels";

describe("external channels (platform chapter §5.6)", () => {
  const provider = new ChannelsSimulator();
  const mailbox = new Mailbox();
  const dns = new NameServer();
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  before(async () => {
    await provider.start();
    await mailbox.start();
    await dns.start();
    const names = ["SLACK", "DISCORD", "GCHAT", "MSTEAMS", "TELEGRAM"];
    service = await startService({
      ...relayOf(mailbox),
      ...Object.fromEntries(names.map((name) => [`SERVICE_${name}_API_URL`, provider.origin])),
      SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.1",
      SERVICE_OUTBOUND_NAME_SERVERS: dns.address,
    });
  });
  beforeEach(async () => {
    provider.reset();
    dns.reset();
    mailbox.reset();
    tenant = await service.tenant();
    anna = await tenant.member("member", { name: "Anna" });
  });
  afterEach(() => expect(provider.complaints).to.deep.equal([]));
  after(async () => {
    await service.stop();
    await provider.stop();
    await mailbox.stop();
    await dns.stop();
  });

  const addresses = (): Record<string, string> => ({
    slack: `https://hooks.slack.com${provider.slackPath}`,
    discord: `https://discord.com${provider.discordPath}`,
    gchat: `https://chat.googleapis.com${provider.gchatPath}${provider.gchatQuery}`,
    msteams: `https://agency.webhook.office.com${provider.msteamsPath}`,
    telegram: `${provider.botToken}/${provider.chat}`,
    webhook: `${provider.origin}/hook?secret=0123456789`,
    custom: `${provider.origin}/custom`,
    email: "jo@example.org",
    mailto: "mailto:jo@example.org?subject=x",
  });
  const add = async (kind: string, url: string, who: Caller = anna, more: object = {}): Promise<Body> =>
    bodyOf(await who.post(PATH, { kind, name: `A ${kind}`, url, ...more }));
  const fieldsOf = async (kind: string, url: string) => {
    const { status, body } = await anna.post(PATH, { kind, name: "x", url });
    return status === 422 ? body.error.fields : status;
  };

  it("seal the stored address, and show a few characters of it", async () => {
    const shown: Record<string, string> = {};
    for (const [kind, url] of Object.entries(addresses())) {
      const made = await add(kind, url);
      expect(made).to.have.all.keys(
        ...["id", "org_id", "user_id", "kind", "name", "redacted", "enabled", "digest_time", "digest_weekday", "created_at"],
      );
      shown[kind] = made.redacted;
    }
    expect(shown).to.deep.equal({
      slack: "https://hooks.****",
      discord: "https://discor****",
      gchat: "https://chat.g****",
      msteams: "https://agency****",
      telegram: "telegram://110201****",
      webhook: "http://127.0.****",
      custom: "http://127.0.****",
      email: "j***@example.org",
      mailto: "j***@example.org",
    });
    const { rows } = await service.sql.query("select url from notification_channels where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    expect(rows.every(({ url }) => url.startsWith("v1."))).to.equal(true);
    const trail = await service.sql.query("select * from activity where organisation_id = $1", [tenant.organisation.id]);
    expect(JSON.stringify(trail.rows)).to.not.match(/simulated|AAHdq|0123456789/);
  });

  it("send a test, each in its provider's format", async () => {
    for (const [kind, url] of Object.entries(addresses())) {
      const { id } = await add(kind, url);
      const { status, body } = await anna.post(`${PATH}/${id}/test`);
      expect([kind, status, body]).to.deep.equal([kind, 200, { ok: true, error: null }]);
    }
    expect(provider.taken.map(({ kind }) => kind)).to.deep.equal([
      ...["slack", "discord", "gchat", "msteams", "telegram", "webhook", "webhook"],
    ]);
    for (const { text } of provider.taken) expect(text).to.match(/Testbericht van/);
    expect(mailbox.delivered).to.have.length(2);
  });

  it("return the provider's error without the secret in the address", async () => {
    const wrong: [kind: string, url: string, said: RegExp][] = [
      ["slack", "https://hooks.slack.com/services/T0SIM/B0SIM/anotherSecret000001", /^HTTP 404: no_service$/],
      ["discord", "https://discord.com/api/webhooks/1/another-secret", /Unknown Webhook/],
      ["gchat", "https://chat.googleapis.com/v1/spaces/B/messages?key=another-secret&token=another-secret", /permission/],
      ["telegram", "1234567:another-secret/@room", /Unauthorized/],
    ];
    for (const [kind, url, said] of wrong) {
      const { id } = await add(kind, url);
      const { body } = await anna.post(`${PATH}/${id}/test`);
      expect(body.ok, kind).to.equal(false);
      expect(body.error).to.match(said);
      expect(body.error).to.not.match(/another/);
    }
    const echoing = await add("webhook", `${provider.origin}/hooks/Zx81kLmN0pQr?of=Yy72abcd`);
    provider.fail({ kind: "reply", status: 404, body: "no hook Zx81kLmN0pQr of Yy72abcd here" });
    expect((await anna.post(`${PATH}/${echoing.id}/test`)).body.error).to.equal("HTTP 404: no hook *** of *** here");
    const { id } = await add("webhook", `${provider.origin}/x`);
    provider.fail({ kind: "reply", status: 302, headers: { Location: `${provider.origin}/elsewhere` } });
    expect((await anna.post(`${PATH}/${id}/test`)).body.ok, "redirects are not followed").to.equal(false);
    const other = await add("custom", "pager://secret@room");
    expect((await anna.post(`${PATH}/${other.id}/test`)).body).to.deep.equal({
      ok: false,
      error: "nothing here sends to 'pager' addresses",
    });
  });

  it("call only public addresses, checked at each send, and no address that cannot be unsealed", async () => {
    for (const kind of ["webhook", "custom"]) {
      const { id } = await add(kind, `${provider.origin}/x`);
      const place = { table: "notification_channels", column: "url", organisation: tenant.organisation.id, row: id };
      const store = (url: string) => service.sql.query("update notification_channels set url = $1 where id = $2", [url, id]);
      for (const url of ["http://10.0.0.1/x", "http://[::1]/x", "http://169.254.169.254/latest"]) {
        await store(seal(url, place));
        const { status, body } = await anna.post(`${PATH}/${id}/test`);
        expect([status, body.ok], url).to.deep.equal([200, false]);
        expect(body.error, url).to.match(/is not a public address$/);
      }
      await store("v1.00000000.x");
      const { body } = await anna.post(`${PATH}/${id}/test`);
      expect(body).to.deep.equal({ ok: false, error: "errors.notification_channel_input" });
    }
    expect(provider.received).to.deep.equal([]);
  });

  it("escape mentions and links in a name", async () => {
    await service.sql.query("update organisations set brand_name = $1 where id = $2", [
      "<!channel> <users/all> <https://evil.example|here> [here](https://evil.example) *@everyone* &",
      tenant.organisation.id,
    ]);
    const said: Record<string, RegExp> = {
      slack: /&lt;!channel&gt; &lt;users\/all&gt; &lt;https:\/\/evil.example\|here&gt; .* &amp;/,
      discord: /\\<!channel\\> .*\\\[here\\\]\(https:\/\/evil.example\) \\\*\\@everyone\\\*/,
      gchat: /<\u200b!channel> <\u200busers\/all> <\u200bhttps:/,
      msteams: /\\\[here\\\]\\\(https:\/\/evil.example\\\) \\\*@everyone\\\*/,
    };
    for (const [kind, text] of Object.entries(said)) {
      const { id } = await add(kind, addresses()[kind] as string);
      expect(bodyOf(await anna.post(`${PATH}/${id}/test`)).ok, kind).to.equal(true);
      expect(provider.taken.at(-1)?.text, kind).to.match(text);
    }
    const discord = provider.taken.find(({ kind }) => kind === "discord");
    expect(discord?.body["allowed_mentions"]).to.deep.equal({ parse: [] });
  });

  const INPUT = { url: "errors.notification_channel_input" };
  const BLOCKED = { url: "errors.notification_channel_blocked" };
  const refused: [kind: string, url: string, fields: object][] = [
    ["slack", "https://example.org/services/T/B/x", INPUT],
    ["slack", "http://hooks.slack.com/services/T/B/x", INPUT],
    ["discord", "https://discord.com/api/x", INPUT],
    ["gchat", "https://chat.googleapis.com/v1/spaces/A/messages", INPUT],
    ["msteams", "https://webhook.office.com.evil.example/webhookb2/x", INPUT],
    ["telegram", "no-token/chat", INPUT],
    ["telegram", "https://api.telegram.org/bot110201543:AAHdq/sendMessage", INPUT],
    ["telegram", "tgram://110201543:AAHdq/4711", BLOCKED],
    ["email", "https://example.org/jo", INPUT],
    ["mailto", "http://10.0.0.1/x", BLOCKED],
    ["webhook", "not an address", INPUT],
    ["webhook", "https://user:secret@example.org/", INPUT],
    ["email", "Jo <jo@example.org>", INPUT],
    ["webhook", "ftp://example.org/x", BLOCKED],
    ["slack", "gopher://hooks.slack.com/services/T/B/x", BLOCKED],
    ["webhook", "http://10.0.0.1/x", BLOCKED],
    ["webhook", "http://[::1]/x", BLOCKED],
    ["webhook", "http://169.254.169.254/latest", BLOCKED],
    ["custom", "https://192.168.1.1/x", BLOCKED],
    ["custom", "pager://192.168.1.1/x", 201 as unknown as object],
  ];
  for (const [kind, url, fields] of refused)
    it(`answer ${kind} ${url} with ${JSON.stringify(fields)}`, async () => {
      expect(await fieldsOf(kind, url)).to.deep.equal(fields);
    });

  it("are refused on save if their host does not exist, and accepted while name servers fail", async () => {
    dns.hold("empty.example", {});
    dns.hold("public.example", { a: ["93.184.216.34"] });
    dns.hold("troubled.example", { rcode: "SERVFAIL" });
    const { id } = await add("webhook", addresses()["webhook"] as string);
    const outcomes: [host: string, refused: boolean][] = [
      ...([
        ["nowhere.example", true],
        ["empty.example", true],
        ["nowhere..example", true],
      ] as [string, boolean][]),
      ...([
        ["public.example", false],
        ["troubled.example", false],
      ] as [string, boolean][]),
    ];
    const browser = new PushService().browser().subscription;
    for (const [host, isRefused] of outcomes) {
      const url = `https://${host}/hook`;
      for (const kind of ["webhook", "custom"])
        expect(await fieldsOf(kind, url), `${kind} ${host}`).to.deep.equal(isRefused ? BLOCKED : 201);
      const changed = await anna.patch(`${PATH}/${id}`, { url });
      expect([changed.status, changed.body.error?.fields], host).to.deep.equal(isRefused ? [422, BLOCKED] : [200, undefined]);
      const pushed = await anna.post("/notifications/push/subscriptions", { ...browser, endpoint: url });
      expect([pushed.status, pushed.body.error?.fields], host).to.deep.equal(
        isRefused ? [422, { endpoint: "errors.push_endpoint_blocked" }] : [201, undefined],
      );
    }
  });

  it("belong to the caller without the permission to manage rooms, and to anyone or a room with it", async () => {
    const ben = await tenant.member("member");
    const admin = await tenant.member("admin");
    const { webhook } = addresses() as { webhook: string };
    const mine = await add("webhook", webhook, anna, { user_id: ben.accountId });
    expect(mine.user_id, "forced to the caller").to.equal(anna.accountId);
    const room = await add("webhook", webhook, admin);
    const bens = await add("webhook", webhook, admin, { user_id: ben.accountId });
    expect([room.user_id, bens.user_id]).to.deep.equal([null, ben.accountId]);
    const seen = async (who: Caller) => bodyOf(await who.get(PATH)).map(({ id }: Body) => id);
    expect(await seen(anna)).to.deep.equal([mine.id]);
    expect(await seen(admin)).to.have.members([mine.id, room.id, bens.id]);
    for (const { id } of [room, bens]) {
      expect((await anna.patch(`${PATH}/${id}`, { name: "x" })).status).to.equal(404);
      expect((await anna.patch(`${PATH}/${id}`, { url: webhook })).status).to.equal(404);
      expect((await anna.delete(`${PATH}/${id}`)).status).to.equal(404);
      expect((await anna.post(`${PATH}/${id}/test`)).status).to.equal(404);
    }
    const stranger = await (await service.tenant()).member("member");
    const { status, body } = await admin.post(PATH, { kind: "webhook", name: "x", url: webhook, user_id: stranger.accountId });
    expect([status, body.error.fields]).to.deep.equal([422, { user_id: "errors.not_found" }]);
  });

  it("keep name, address and kind when null or blank is sent, clear digest times, and lose their routing on deletion", async () => {
    const { id } = await add("webhook", `${provider.origin}/one`, anna, { digest_time: "09:15", digest_weekday: 2 });
    const kept = bodyOf(await anna.patch(`${PATH}/${id}`, { name: null, url: "", enabled: null }));
    expect([kept.name, kept.kind, kept.enabled, kept.digest_time, kept.digest_weekday]).to.deep.equal([
      ...["A webhook", "webhook", true, "09:15", 2],
    ]);
    expect(bodyOf(await anna.patch(`${PATH}/${id}`, { url: " " }))).to.deep.equal(kept);
    const cleared = bodyOf(await anna.patch(`${PATH}/${id}`, { digest_time: null, digest_weekday: null, enabled: false }));
    expect([cleared.enabled, cleared.digest_time, cleared.digest_weekday]).to.deep.equal([false, null, null]);
    bodyOf(await anna.patch(`${PATH}/${id}`, { url: `${provider.origin}/two` }));
    await anna.post(`${PATH}/${id}/test`);
    expect(provider.taken.map(({ path }) => path)).to.deep.equal(["/two"]);
    const traced = () => service.sql.query("select action from activity where entity_id = $1", [id]);
    const before = [(await traced()).rowCount, (await anna.get(PATH)).text];
    bodyOf(await anna.patch(`${PATH}/${id}`, { name: "A webhook", url: ` ${provider.origin}/two ` }));
    expect([(await traced()).rowCount, (await anna.get(PATH)).text], "the same address again changes nothing").to.deep.equal(
      before,
    );
    const on = [{ event_type: "task.assigned", enabled: true }];
    await prefer(anna, { channels: [{ channel_config_id: id, events: on }] });
    expect((await anna.delete(`${PATH}/${id}`)).status).to.equal(204);
    const left = await service.sql.query("select from notification_channel_routes where channel_id = $1", [id]);
    expect(left.rowCount).to.equal(0);
  });
});
