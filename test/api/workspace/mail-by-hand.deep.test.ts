import { expect } from "chai";
import { SCOPE } from "../../../mixins/google/scopes.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { recordsOf } from "../work/interactions/interaction-records.ts";
import { CLIENT, type MailPerson, type MailWorld, startMail } from "./mail-world.ts";

type Found = Record<string, unknown> & { message_id: string };

describe("Your mailbox by hand (workspace §2.6)", () => {
  let world: MailWorld;
  let ann: MailPerson;
  let company: string;
  before(async () => {
    world = await startMail();
  });
  beforeEach(async () => {
    await world.begin();
    company = (await world.tenant.company()).id;
    await world.contact(CLIENT, [company]);
    ann = await world.colleague();
    // The limits count whole minutes, which tests share with each other.
    await world.service.sql.query("delete from rate_windows");
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const lookup = (reference: string, who = ann) =>
    who.caller.get(`/workspace/mail/lookup?reference=${encodeURIComponent(reference)}`);
  const search = (query: Record<string, string>, who = ann) =>
    who.caller.get(`/workspace/mail/search?${new URLSearchParams(query)}`);
  const importing = (message_id: string, body: object = {}, who = ann) =>
    who.caller.post("/workspace/mail/import", { message_id, ...body });
  const refused = ({ status, body }: { status: number; body: { error: { code: string; message: string } } }) => [
    status,
    body.error.code,
    body.error.message,
  ];
  const code = ({ body }: { body: { error: { code: string } } }) => body.error.code;
  const all = (who: MailPerson) =>
    Promise.all([
      lookup("18c2f00000000001", who),
      who.caller.get("/workspace/mail/threads/18c2f00000000001"),
      search({ participant: "x" }, who),
      importing("18c2f00000000001", {}, who),
    ]);

  describe("refusals", () => {
    it("report the obstacle, in one order: switched off, not connected, without the scope, broken", async () => {
      const stranger = { caller: await world.tenant.member("member"), google: ann.google };
      const bare = { caller: await world.tenant.member("member"), google: ann.google };
      const { connected } = await import("../../support/workspace.ts");
      await connected(world.google, bare.caller);
      expect((await all(stranger)).map(code)).to.deep.equal(Array(4).fill("workspace_not_connected"));
      expect((await all(bare)).map(code)).to.deep.equal(Array(4).fill("mail_sync_off"));
      expect(code(await stranger.caller.post("/workspace/mail/refresh"))).to.equal("workspace_not_connected");
      expect(code(await bare.caller.post("/workspace/mail/refresh"))).to.equal("mail_sync_off");
      await world.service.sql.query("update workspace_connections set status = 'error' where account_id = any($1)", [
        [ann.caller.accountId, bare.caller.accountId],
      ]);
      expect((await all(ann)).map(code)).to.deep.equal(Array(4).fill("workspace_connection_error"));
      expect((await all(bare)).map(code)).to.deep.equal(Array(4).fill("mail_sync_off"));
      await world.workspace.configure({ mail_enabled: false });
      for (const who of [ann, bare, stranger]) {
        expect((await all(who)).map(code)).to.deep.equal(Array(4).fill("mail_disabled"));
        expect(code(await who.caller.post("/workspace/mail/refresh"))).to.equal("mail_disabled");
      }
    });

    it("need both permissions for lookup, thread, search and import, and one for status and refresh", async () => {
      for (const grants of [["workspace.connection.manage"], ["interactions.interaction.write:own"]]) {
        const who = { caller: await world.tenant.member("member", { grants }), google: ann.google };
        expect(
          (await all(who)).map(({ status }) => status),
          grants.join(),
        ).to.deep.equal([403, 403, 403, 403]);
      }
      const own = await world.tenant.member("member", { grants: ["workspace.connection.manage"] });
      expect((await own.get("/workspace/mail/status")).status).to.equal(200);
      expect(code(await own.post("/workspace/mail/refresh"))).to.equal("workspace_not_connected");
    });

    it("do not ask for the feed to be switched on, but for refresh", async () => {
      await ann.caller.patch("/workspace/connections/me", { mail_sync_enabled: false });
      const { id } = world.deliver(ann, { from: CLIENT });
      expect((await lookup(id)).status).to.equal(200);
      expect(code(await ann.caller.post("/workspace/mail/refresh"))).to.equal("mail_sync_off");
    });

    it("are 502 mail_unavailable for Google's, 409 where the grant is dead, and mail_sync_off where the scope is too small", async () => {
      const end = world.google.failWhen(
        ({ path }) => path.startsWith("/gmail"),
        GoogleSimulator.refusing(403, "rateLimitExceeded"),
      );
      const answers = await all(ann);
      expect(answers.map(refused)).to.deep.equal(Array(4).fill([502, "mail_unavailable", "errors.mail_unavailable"]));
      end();
      for (const access of world.google.state.access.values()) Object.assign(access, { scopes: new Set([SCOPE.drive]) });
      expect(code(await lookup("18c2f00000000001"))).to.equal("mail_sync_off");
      world.google.revoke(ann.google);
      expect(code(await lookup("18c2f00000000001"))).to.equal("workspace_connection_error");
      expect((await ann.caller.get("/workspace/connections/me")).body.connection.status).to.equal("error");
    });
  });

  it("counts 20 lookups and threads, 20 searches and 10 imports a minute, each person for themselves", async () => {
    const statuses = async (times: number, call: (n: number) => Promise<{ status: number }>) => {
      const found: number[] = [];
      for (let n = 0; n < times; n++) found.push((await call(n)).status);
      return found;
    };
    const bob = await world.colleague();
    // All within one minute of the clock.
    if (new Date().getSeconds() > 40) await new Promise((resolve) => setTimeout(resolve, (61 - new Date().getSeconds()) * 1000));
    const looked = await statuses(21, (n) =>
      n % 2 ? lookup("18c2fffffffffff1") : ann.caller.get("/workspace/mail/threads/18c2fffffffffff1"),
    );
    expect(looked).to.deep.equal([...Array(20).fill(404), 429]);
    expect(await statuses(21, () => search({ subject: "x" }))).to.deep.equal([...Array(20).fill(200), 429]);
    expect(await statuses(11, () => importing("18c2fffffffffff1"))).to.deep.equal([...Array(10).fill(404), 429]);
    const over = await importing("18c2fffffffffff1");
    expect(refused(over)).to.deep.equal([429, "rate_limited", "errors.rate_limited"]);
    expect(Number(over.headers["retry-after"])).to.be.within(1, 60);
    expect((await importing("18c2fffffffffff1", {}, bob)).status).to.equal(404);
  });

  describe("status and refresh", () => {
    it("say how the mailbox is read, and how long to wait", async () => {
      const none = await world.tenant.member("member");
      expect((await none.get("/workspace/mail/status")).body).to.deep.equal({
        connected: false,
        mail_enabled: true,
        sync_enabled: false,
        scope_granted: false,
        connection_error: false,
        last_polled_at: null,
        gap_since: null,
        available: false,
        retry_after_seconds: 0,
      });
      const { body } = await ann.caller.get("/workspace/mail/status");
      expect(body).to.deep.include({
        connected: true,
        sync_enabled: true,
        scope_granted: true,
        available: true,
        gap_since: null,
      });
      expect(body.retry_after_seconds).to.be.within(1, 60);
      expect(Date.parse(body.last_polled_at)).to.be.greaterThan(0);
    });

    it("read at most once a minute, and of several at once one reads", async () => {
      await world.service.sql.query("update workspace_mailboxes set asked_at = now() - interval '61 seconds'");
      world.deliver(ann, { from: CLIENT });
      world.google.received.length = 0;
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => ann.caller.post("/workspace/mail/refresh")));
      expect(answers.map(({ body }) => body.status).toSorted()).to.deep.equal([...Array(4).fill("cooldown"), "polled"]);
      expect(answers.map(({ body }) => body.logged).toSorted()).to.deep.equal([0, 0, 0, 0, 1]);
      expect(world.google.calls("gmail").filter((call) => call.includes("/history"))).to.have.length(1);
      for (const { status, body } of answers) {
        expect(status).to.equal(200);
        if (body.status === "cooldown") expect(body.sync.retry_after_seconds).to.be.within(1, 60);
      }
    });

    it("spend the minute on a mailbox that fails", async () => {
      const end = world.google.failWhen(
        ({ path }) => path.startsWith("/gmail"),
        GoogleSimulator.refusing(403, "dailyLimitExceeded"),
      );
      const { status, body } = await world.poll(ann);
      expect([status, body.status, body.logged]).to.deep.equal([200, "error", 0]);
      end();
      expect((await ann.caller.post("/workspace/mail/refresh")).body.status).to.equal("cooldown");
    });
  });

  describe("lookup", () => {
    it("takes every form of a reference, and widens a message to its thread, oldest first", async () => {
      const at = Date.now();
      const second = world.deliver(ann, { from: CLIENT, at, messageId: "<Second@client.example>" });
      const first = world.deliver(ann, { from: CLIENT, at: at - 1000, threadId: second.threadId });
      const decimal = (id: string) => BigInt(`0x${id}`).toString();
      for (const reference of [
        first.id,
        first.id.toUpperCase(),
        `msg-f:${decimal(first.id)}`,
        `msg-a:${decimal(second.id)}`,
        `thread-f:${decimal(second.threadId)}`,
        `thread-a:${decimal(second.threadId)}`,
        "<second@client.example>",
        "rfc822msgid:second@client.example",
        `https://mail.google.com/mail/u/0/#inbox/${first.id}`,
        `https://mail.google.com/mail/u/0/?ui=2&view=btop&th=${first.id}`,
        `https://mail.google.com/mail/u/0/?view=om&msgid=msg-f:${decimal(first.id)}`,
      ]) {
        const { status, body } = await lookup(reference);
        expect([reference, status]).to.deep.equal([reference, 200]);
        expect(
          body.messages.map((one: Found) => one.message_id),
          reference,
        ).to.deep.equal([first.id, second.id]);
        expect(body, reference).to.deep.include({
          thread_id: second.threadId,
          truncated: false,
          widened_to_thread: !reference.startsWith("thread"),
        });
      }
    });

    it("tries an unknown message id as a thread, and finds nothing else", async () => {
      const { id } = world.deliver(ann, { from: CLIENT, threadId: "18c2faaaaaaaaaaa" });
      const { body } = await lookup("18c2faaaaaaaaaaa");
      expect(body).to.deep.include({ thread_id: "18c2faaaaaaaaaaa", widened_to_thread: false });
      expect(body.messages.map((one: Found) => one.message_id)).to.deep.equal([id]);
      for (const nothing of ["18c2fbbbbbbbbbbb", "<nobody@client.example>"])
        expect(refused(await lookup(nothing))).to.deep.equal([404, "not_found", "errors.mail_message_not_found"]);
      expect(refused(await ann.caller.get("/workspace/mail/threads/none"))).to.deep.equal([
        404,
        "not_found",
        "errors.mail_message_not_found",
      ]);
    });

    it("refuses unreadable input: 422 with the field", async () => {
      const fields = async (reference: string) => {
        const { status, body } = await lookup(reference);
        return [status, body.error.code, body.error.message, body.error.fields];
      };
      const plain = "errors.mail_reference_unreadable";
      expect(await fields("  ")).to.deep.equal([422, "validation", plain, { reference: "errors.required" }]);
      expect(await fields("what?")).to.deep.equal([422, "validation", plain, { reference: plain }]);
      expect(await fields("https://mail.google.com/mail/u/0/#inbox")).to.deep.equal([
        422,
        "validation",
        plain,
        { reference: plain },
      ]);
      for (const id of ["FMfcgzQVxlBcdNPMQzkgBwqrDxxxxxxx", "FMfcgzQ"])
        expect(await fields(`https://mail.google.com/mail/u/0/#inbox/${id}`), id).to.deep.equal([
          422,
          "validation",
          "errors.mail_reference_web_id",
          { reference: "errors.mail_reference_web_id" },
        ]);
      expect((await lookup("x".repeat(2049))).status).to.equal(422);
    });

    it("marks each message with its state on the timeline and the feed's reason to skip it", async () => {
      await ann.caller.patch("/workspace/connections/me", { mail_excluded_label: "Private" });
      const label = world.gmail.label(ann.google, "private");
      const bob = await world.colleague();
      const thread = "18c2faaaaaaaaaaa";
      const now = Date.now() + 60_000;
      const mail = (more: object, n: number) => world.deliver(ann, { from: CLIENT, threadId: thread, at: now + n, ...more });
      const old = world.deliver(ann, { from: CLIENT, threadId: thread, at: "1500000000000" });
      const logged = mail({}, 0);
      await world.poll(ann);
      await world.service.sql.query("update workspace_mailboxes set history_id = '999999' where true");
      const draft = mail({ labels: ["DRAFT"] }, 1);
      const kept = mail({ labels: [label] }, 2);
      const his = mail({ to: `${bob.google.email}, ${ann.google.email}` }, 3);
      const unknown = mail({ from: "friend@home.example" }, 4);
      const fresh = mail({ to: "a@x.nl, B <b@x.nl>, c@x.nl", cc: "d@x.nl, e@x.nl, f@x.nl", subject: null }, 5);
      const { body } = await ann.caller.get(`/workspace/mail/threads/${thread}`);
      const of = (id: string) => body.messages.find((one: Found) => one.message_id === id);
      expect(body.messages.map((one: Found) => one.message_id)[0]).to.equal(old.id);
      const [moment] = (await world.rows()).filter((row) => row["mail_message_id"] === logged.id);
      expect(of(logged.id)).to.deep.include({
        logged: true,
        interaction_id: moment?.["id"],
        skip_reason: "already_logged",
        never_offered: false,
      });
      expect(of(draft.id).skip_reason).to.equal("not_a_message");
      expect(of(kept.id).skip_reason).to.equal("excluded_label");
      expect(of(his.id)).to.deep.include({ skip_reason: "deferred_to_owner", skip_detail: { owner: bob.google.email } });
      expect(of(unknown.id).skip_reason).to.equal("no_external_match");
      expect(of(fresh.id)).to.deep.include({
        subject: null,
        from_email: CLIENT,
        from_name: null,
        recipients: "a@x.nl, B, c@x.nl, d@x.nl, e@x.nl",
        direction: "inbound",
        logged: false,
        interaction_id: null,
        suppressed: false,
        skip_reason: null,
        skip_detail: {},
        before_connection: false,
        never_offered: true,
      });
    });

    it("shows the newest 50 of a thread, and that there are more", async () => {
      const thread = "18c2faaaaaaaaaaa";
      const at = Date.now();
      const ids = Array.from({ length: 60 }, (_, n) => world.deliver(ann, { threadId: thread, at: at + n }).id);
      const { body } = await lookup(ids[0] as string);
      expect([body.messages.length, body.truncated, body.widened_to_thread]).to.deep.equal([50, true, true]);
      expect(body.messages.map((one: Found) => one.message_id)).to.deep.equal([ids[0], ...ids.slice(11)]);
    });
  });

  describe("search", () => {
    it("sends Google one query of the fields given, and says which", async () => {
      world.deliver(ann, { from: CLIENT, subject: "Offer of May" });
      const { status, body } = await search({
        participant: CLIENT,
        subject: 'Offer "of": (May)',
        after: "2026-05-01",
        before: "2026-05-31",
      });
      expect(status).to.equal(200);
      expect(body.query).to.equal(
        `(from:${CLIENT} OR to:${CLIENT} OR cc:${CLIENT}) subject:"Offer of May" after:2026-05-01 before:2026-06-01 -in:spam -in:trash`,
      );
      expect(body.messages.map(({ subject }: { subject: string }) => subject)).to.deep.equal(["Offer of May"]);
      expect(body).to.deep.include({ thread_id: null, truncated: false, widened_to_thread: false });
      expect((await search({ subject: "nothing of it" })).body.messages).to.deep.equal([]);
    });

    it("refuses a search for nothing, and shows 20 at most", async () => {
      for (const query of [{}, { participant: ' "():' }]) {
        const { status, body } = await search(query as Record<string, string>);
        expect([status, body.error.message, body.error.fields]).to.deep.equal([
          422,
          "errors.mail_search_empty",
          { participant: "errors.mail_search_empty" },
        ]);
      }
      expect((await search({ after: "yesterday" })).status).to.equal(422);
      for (let n = 0; n < 25; n++) world.deliver(ann, { from: CLIENT, subject: "Many" });
      const { body } = await search({ subject: "many" });
      expect([body.messages.length, body.truncated]).to.deep.equal([20, true]);
    });
  });

  describe("import", () => {
    it("logs a message at once, despite the gates, with body and files", async () => {
      const { id } = world.deliver(ann, { from: "friend@home.example", subject: "Dinner", text: "At eight" });
      const { status, body } = await importing(id, { company_id: company });
      expect(status).to.equal(201);
      expect(body).to.deep.include({ subject: "Dinner", body_fetched: true });
      expect((await world.tenant.owner.get(`/interactions/${body.interaction_id}`)).body).to.deep.include({
        status: "logged",
        source: "mail",
        company_id: company,
        body_text: "At eight",
        owner_user_id: ann.caller.accountId,
      });
      expect((await lookup(id)).body.messages[0]).to.deep.include({ logged: true, interaction_id: body.interaction_id });
    });

    it("files to the sent records, else as matched; null clears", async () => {
      const project = await recordsOf(world.service, world.tenant).project({ company_id: company });
      const dora = await world.contact("dora@other.example");
      const filed = async (body: object) => {
        const { interaction_id } = (await importing(world.deliver(ann, { from: CLIENT }).id, body)).body;
        return (await ann.caller.get(`/interactions/${interaction_id}`)).body;
      };
      expect(await filed({})).to.deep.include({ company_id: company, project_id: null });
      expect(await filed({ project_id: project })).to.deep.include({ company_id: company, project_id: project });
      expect(await filed({ company_id: null })).to.deep.include({ company_id: null });
      expect(await filed({ contact_ids: [dora] })).to.deep.include({ contact_id: dora });
      expect((await filed({ contact_ids: null })).contacts).to.deep.equal([]);
      const hidden = await importing(world.deliver(ann).id, { project_id: crypto.randomUUID() });
      expect(hidden.status).to.equal(404);
    });

    it("never logs a message of one mailbox twice, and one with the same Message-ID on request", async () => {
      const bob = await world.colleague();
      const messageId = "<same@client.example>";
      const [hers, his] = [world.deliver(ann, { from: CLIENT, messageId }), world.deliver(bob, { from: CLIENT, messageId })];
      const many = await Promise.all([1, 2, 3].map(() => importing(hers.id)));
      expect(many.map(({ status }) => status).toSorted()).to.deep.equal([201, 409, 409]);
      expect(refused(await importing(hers.id, { allow_duplicate: true }))).to.deep.equal([
        409,
        "conflict",
        "errors.interactions_mail_already_logged",
      ]);
      expect(refused(await importing(his.id, {}, bob))).to.deep.equal([409, "conflict", "errors.interactions_eml_duplicate"]);
      expect((await importing(his.id, { allow_duplicate: true }, bob)).status).to.equal(201);
    });

    it("refuses deleted messages, and those without a match", async () => {
      const { id } = world.deliver(ann, { from: "", to: "" });
      expect(refused(await importing(id))).to.deep.equal([422, "validation", "errors.mail_message_unusable"]);
      expect(refused(await importing("18c2fbbbbbbbbbbb"))).to.deep.equal([404, "not_found", "errors.mail_message_not_found"]);
      expect((await importing("")).status).to.equal(422);
      // Dots alone would change the path of the call.
      world.google.received.length = 0;
      for (const dots of [".", ".."])
        expect(refused(await importing(dots))).to.deep.equal([404, "not_found", "errors.mail_message_not_found"]);
      expect(world.google.calls("gmail")).to.deep.equal([]);
    });

    it("continues without the body if it cannot be read now", async () => {
      const { id } = world.deliver(ann, { from: CLIENT });
      const end = world.google.failWhen(
        ({ query }) => query.get("format") === "full",
        GoogleSimulator.refusing(400, "failedPrecondition"),
      );
      const { status, body } = await importing(id);
      end();
      expect([status, body.body_fetched]).to.deep.equal([201, false]);
      const [row] = await world.rows();
      expect(row).to.deep.include({ body_awaited: true, status: "logged" });
    });

    it("fills in its task from it, on request", async () => {
      const task = (
        await ann.caller.post("/tasks", { title: "Answer", assignees: [{ user_id: ann.caller.accountId, is_primary: true }] })
      ).body.id;
      const { status } = await importing(world.deliver(ann, { from: CLIENT }).id, { task_id: task, enrich_task: true });
      expect(status).to.equal(201);
      const { rows } = await world.service.sql.query("select ai_status from tasks where id = $1", [task]);
      expect(rows[0].ai_status).not.to.equal(null);
    });
  });
});
