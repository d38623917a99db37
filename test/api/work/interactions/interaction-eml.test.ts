import { expect } from "chai";
import { outlookMessage } from "../../../fixtures/work/outlook-message.ts";
import { winmail } from "../../../fixtures/work/winmail.ts";
import { fileBody, multipart } from "../../../support/multipart.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type Records, recordsOf } from "./interaction-records.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const message = ({ id = "<one@example.com>", subject = "Offer", extra = [] as string[], html = false } = {}) =>
  [
    "From: Ann Client <ann@client.example>",
    "To: Owner <owner@agency.example>, Bob <bob@client.example>",
    "Cc: cas@client.example",
    `Subject: ${subject}`,
    "Date: Mon, 2 Mar 2026 10:15:00 +0100",
    ...(id ? [`Message-ID: ${id}`] : []),
    ...extra,
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="x"',
    "",
    "--x",
    `Content-Type: text/${html ? "html" : "plain"}; charset=utf-8`,
    "",
    html ? "<p>Dear Bob,</p><script>alert(1)</script><p>yes &amp; no</p>" : "Dear Bob,\r\n\r\nyes, please.",
    "--x",
    'Content-Type: image/png; name="logo.png"',
    'Content-Disposition: attachment; filename="logo.png"',
    "Content-Transfer-Encoding: base64",
    "",
    PNG,
    "--x",
    'Content-Type: application/x-msdownload; name="setup.exe"',
    'Content-Disposition: attachment; filename="setup.exe"',
    "Content-Transfer-Encoding: base64",
    "",
    "TVqQAAMAAAAEAAAA",
    "--x--",
    "",
  ].join("\r\n");

describe("POST /interactions/eml", () => {
  let service: TestService;
  let tenant: Tenant;
  let records: Records;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    records = recordsOf(service, tenant);
  });
  after(() => service.stop());

  const send = (text: string | Buffer, fields: Record<string, string> = {}, name = "message.eml", type = "message/rfc822") => {
    const { body, headers } = multipart([
      ...Object.entries(fields).map(([field, content]) => ({ name: field, content })),
      { name: "file", content: text, type, fileName: name },
    ]);
    return tenant.owner.post("/interactions/eml", body, { headers });
  };
  const refusal = ({ status, body }: { status: number; body: { error: { message: string; fields?: object } } }) => [
    status,
    body.error.fields ?? body.error.message,
  ];

  it("logs the message at once, with its people, words and files", async () => {
    const ann = (await tenant.owner.post("/contacts", { first_name: "Ann", email: "Ann@client.example" })).body;
    const company = await tenant.company();
    const project = await records.project({ company_id: company.id });
    const { status, body } = await send(message(), { project_id: project });
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      kind: "email",
      source: "upload",
      status: "logged",
      direction: "inbound",
      subject: "Offer",
      body_text: "Dear Bob,\n\nyes, please.",
      snippet: "Dear Bob, yes, please.",
      company_id: company.id,
      project_id: project,
      contact_id: ann.id,
      mail_thread_id: "<one@example.com>",
      attachments_added: 1,
      attachments_skipped: 1,
    });
    expect(Date.parse(body.occurred_at)).to.equal(Date.parse("2026-03-02T09:15:00Z"));
    expect(body.participants).to.deep.equal([
      { email: "ann@client.example", name: "Ann Client", role: "from", contact_id: ann.id, user_id: null },
      { email: "owner@agency.example", name: "Owner", role: "to", contact_id: null, user_id: null },
      { email: "bob@client.example", name: "Bob", role: "to", contact_id: null, user_id: null },
      { email: "cas@client.example", name: null, role: "cc", contact_id: null, user_id: null },
    ]);
    const files = (await tenant.owner.get(`/files?entity_type=interaction&entity_id=${body.id}`)).body;
    expect(files.map(({ filename }: { filename: string }) => filename)).to.deep.equal(["logo.png"]);
  });

  it("files a portal login to its contact, as an inbound message of no colleague", async () => {
    const { accountId } = await tenant.member("client");
    const { id: contact } = (await tenant.owner.post("/contacts", { first_name: "Ann" })).body;
    await service.sql.query("update contacts set account_id = $2 where id = $1", [contact, accountId]);
    const { rows } = await service.sql.query("select email from accounts where id = $1", [accountId]);
    const { body } = await send(message().replace("ann@client.example", rows[0].email));
    expect(body).to.deep.include({ direction: "inbound", contact_id: contact });
    expect(body.participants[0]).to.deep.include({ role: "from", contact_id: contact, user_id: null });
  });

  it("cuts a subject at 500, and never through a character of two UTF-16 units", async () => {
    const company = await tenant.company();
    const long = Buffer.from(`${"s".repeat(499)}\u{1f600}`).toString("base64");
    const { status, body, text } = await send(message({ subject: `=?utf-8?B?${long}?=` }), { company_id: company.id });
    expect([status, body.subject], text).to.deep.equal([201, "s".repeat(499)]);
  });

  it("reads the words of a message in HTML, without scripts", async () => {
    expect((await send(message({ html: true }))).body.body_text).to.equal("Dear Bob,\nyes & no");
  });

  it("takes a message by its name where the browser knows no type", async () => {
    expect((await send(message(), {}, "saved.EML", "application/octet-stream")).status).to.equal(201);
  });

  it("takes a message that Outlook saved, by its name or its type, and refuses a damaged one", async () => {
    const saved = outlookMessage(
      { texts: { 55: "Offerte", 4096: "Zie bijlage", 4149: "<msg@client.example>", 3098: "Ann", 3103: "ann@client.example" } },
      [{ texts: { 12289: "Bob", 12291: "bob@client.example" }, fixed: { 3093: 1n } }],
      [
        { texts: { 14087: "logo.png" }, bytes: { 14081: Buffer.from(PNG, "base64") } },
        { texts: { 14087: "setup.exe" }, bytes: { 14081: Buffer.from("TVqQAAMAAAAEAAAA", "base64") } },
      ],
    );
    const { status, body, text } = await send(saved, {}, "offerte.msg", "application/octet-stream");
    expect(status, text).to.equal(201);
    expect(body).to.deep.include({ subject: "Offerte", body_text: "Zie bijlage", occurred_guessed: true });
    expect([body.attachments_added, body.attachments_skipped]).to.deep.equal([1, 1]);
    expect(body.participants.map((one: { email: string; role: string }) => `${one.role} ${one.email}`)).to.deep.equal([
      "from ann@client.example",
      "to bob@client.example",
    ]);
    const again = await send(saved, {}, "kopie", "application/vnd.ms-outlook");
    expect([again.status, again.body.error.message]).to.deep.equal([409, "errors.interactions_eml_duplicate"]);
    const invalid = [422, { file: "errors.interactions_eml_invalid" }];
    for (const damaged of [
      saved.subarray(0, 700),
      Buffer.from("geen bericht"),
      Buffer.concat([saved.subarray(0, 512), Buffer.alloc(4096)]),
    ])
      expect(refusal(await send(damaged, {}, "offerte.msg", "application/octet-stream"))).to.deep.equal(invalid);
  });

  it("counts a winmail.dat as the files in it", async () => {
    const packed = [
      ...["Content-Type: application/ms-tnef; name=winmail.dat", "Content-Disposition: attachment; filename=winmail.dat"],
      ...["Content-Transfer-Encoding: base64", "", winmail(["logo.png", Buffer.from(PNG, "base64")]).toString("base64"), "--x"],
    ].join("\r\n");
    const { body } = await send(message().replace('Content-Type: image/png; name="logo.png"', `${packed}\r\n$&`));
    expect([body.attachments_added, body.attachments_skipped]).to.deep.equal([2, 1]);
  });

  it("refuses an invalid message", async () => {
    const type = [422, { file: "errors.interactions_eml_type" }];
    expect(refusal(await send("a,b", {}, "table.csv", "text/csv"))).to.deep.equal(type);
    expect(refusal(await send("", {}))).to.deep.equal([422, { file: "errors.required" }]);
    expect(refusal(await send("no header at all"))).to.deep.equal([422, { file: "errors.interactions_eml_invalid" }]);
    const large = await send(Buffer.alloc(10 * 1024 * 1024 + 1, "a"));
    expect([large.status, large.body.error.message]).to.deep.equal([413, "errors.upload_too_large"]);
    const { body, headers } = multipart([{ name: "allow_duplicate", content: "true" }]);
    const none = await tenant.owner.post("/interactions/eml", body, { headers });
    expect(refusal(none)).to.deep.equal([422, { file: "errors.required" }]);
  });

  it("refuses a message that is known, unless a second one is wanted", async () => {
    await send(message());
    const again = await send(message());
    expect([again.status, again.body.error.message]).to.deep.equal([409, "errors.interactions_eml_duplicate"]);
    expect((await send(message(), { allow_duplicate: "true" })).status).to.equal(201);
    const stranger = await service.tenant();
    const { body, headers } = fileBody(message(), "message/rfc822", "m.eml");
    expect((await stranger.owner.post("/interactions/eml", body, { headers })).status).to.equal(201);
  });

  it("logs one of two copies that come at once", async () => {
    // Made by the first need, the kinds would have them take turns.
    await tenant.owner.get("/interactions/kinds");
    for (const id of ["<a@example.com>", "<b@example.com>", "<c@example.com>"]) {
      const answers = await Promise.all([1, 2, 3, 4].map(() => send(message({ id }))));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409]);
    }
  });

  describe("reading", () => {
    const raw = (headers: string[], body = "Hello") => ["Subject: x", ...headers, "", body].join("\r\n");
    const FROM = "From: Ann <ann@client.example>";
    const logged = async (text: string | Buffer) => {
      const { status, body, text: answer } = await send(text);
      expect(status, answer).to.equal(201);
      return body;
    };

    it("skips a byte order mark, and counts every From address", async () => {
      const body = await logged(
        `\ufeff${raw(["From: Ann <ann@client.example>, bob@client.example", "Message-ID: <bom@x.example>"])}`,
      );
      expect(body).to.include({ subject: "x", mail_thread_id: "<bom@x.example>" });
      const authors = body.participants.filter(({ role }: { role: string }) => role === "from");
      expect(authors.map(({ email }: { email: string }) => email)).to.deep.equal(["ann@client.example", "bob@client.example"]);
    });

    it("dates a message by its Date, else its newest Received, else the upload, and says when that was guessed", async () => {
      const at = async (...headers: string[]) => {
        const { occurred_at, occurred_guessed } = await logged(raw([FROM, ...headers]));
        return [new Date(occurred_at).toISOString().slice(0, 16), occurred_guessed];
      };
      const received = "Received: from a by b; Mon, 2 Mar 2026 11:00:00 +0000";
      expect(await at("Date: Mon, 2 Mar 2026 10:00:00 XYZ")).to.deep.equal(["2026-03-02T10:00", false]);
      expect(await at("Date: Mon, 31 Feb 2026 10:00:00 +0000", received)).to.deep.equal(["2026-03-02T11:00", false]);
      const ahead = new Date(Date.now() + 3 * 86_400_000).toUTCString();
      expect(await at(`Date: ${ahead}`, received)).to.deep.equal(["2026-03-02T11:00", false]);
      const before = Date.now();
      const { occurred_at, occurred_guessed } = await logged(raw([FROM, `Date: ${ahead}`]));
      expect(occurred_guessed).to.equal(true);
      expect(Date.parse(occurred_at)).to.be.within(before - 1, Date.now() + 1);
    });

    it("joins encoded words that end inside a character, in the subject and in names", async () => {
      const split = "=?utf-8?B?4oI=?=\r\n =?utf-8?B?rA==?= 5";
      const body = await logged(
        raw([`From: ${split} <ann@client.example>`, `To: ${split} <bob@client.example>`], "x").replace(
          "Subject: x",
          `Subject: ${split}`,
        ),
      );
      expect(body.subject).to.equal("€ 5");
      expect(body.participants.map(({ name }: { name: string }) => name)).to.deep.equal(["€ 5", "€ 5"]);
    });

    it("keeps cells and items apart in the text, and makes an invitation alone readable", async () => {
      const html =
        "<table><tr><td>Site</td><td>100</td></tr><tr><td>Mail</td><td>5</td></tr></table><ul><li>one</li><li>two</li></ul>";
      expect((await logged(raw([FROM, "Content-Type: text/html"], html))).body_text).to.equal("Site\t100\nMail\t5\n- one\n- two");
      const event = [
        "BEGIN:VCALENDAR",
        "BEGIN:VEVENT",
        "SUMMARY:Kick-off",
        "DTSTART:20260302T100000Z",
        "END:VEVENT",
        "END:VCALENDAR",
      ];
      const invitation = await logged(raw([FROM, "Content-Type: text/calendar; method=REQUEST"], event.join("\r\n")));
      expect(invitation.body_text).to.equal("Kick-off\n2026-03-02 10:00 UTC");
    });

    it("refuses NUL and a picture under the name .eml as an invalid message", async () => {
      const invalid = [422, { file: "errors.interactions_eml_invalid" }];
      for (const bytes of [Buffer.alloc(64), Buffer.from(PNG, "base64"), Buffer.from(`${FROM}\0\r\n\r\nx`)]) {
        expect(refusal(await send(bytes))).to.deep.equal(invalid);
        expect(refusal(await send(bytes, {}, "m.eml", "application/octet-stream"))).to.deep.equal(invalid);
      }
    });

    it("files the message to the client of a matching contact, unless the upload names another record", async () => {
      const [company, other] = [await tenant.company(), await tenant.company()];
      await tenant.owner.post("/contacts", { first_name: "Ann", email: "ann@client.example", company_ids: [company.id] });
      expect((await logged(raw([FROM]))).company_id).to.equal(company.id);
      expect((await send(raw([FROM]), { company_id: other.id })).body.company_id).to.equal(other.id);
      expect((await logged(raw(["From: stranger@elsewhere.example"]))).company_id).to.equal(null);
    });

    it("matches an address with a detail behind a plus to the contact of the mailbox, unless a contact has it itself", async () => {
      const [company, other] = [await tenant.company(), await tenant.company()];
      const contact = async (first_name: string, email: string, { id }: { id: string }) =>
        (await tenant.owner.post("/contacts", { first_name, email, company_ids: [id] })).body.id;
      const ann = await contact("Ann", "ann@client.example", company);
      const filed = async (from: string) => {
        const { company_id, contact_id, participants } = await logged(raw([`From: ${from}`]));
        return [company_id, contact_id, participants[0].contact_id, participants[0].email];
      };
      expect(await filed("ann+news@client.example")).to.deep.equal([company.id, ann, ann, "ann+news@client.example"]);
      expect(await filed("ann+a+b@client.example")).to.deep.equal([company.id, ann, ann, "ann+a+b@client.example"]);
      expect(await filed("+ann@client.example")).to.deep.equal([null, null, null, "+ann@client.example"]);
      const twin = await contact("Twin", "ann+news@client.example", other);
      expect(await filed("ann+news@client.example")).to.deep.equal([other.id, twin, twin, "ann+news@client.example"]);
    });
  });

  describe("of one's own waiting message", () => {
    const GIVEN = { message_id: "<one@example.com>", body_awaited: true };

    it("is its approval: it has the uploaded body and files, and the sent filing", async () => {
      const [matched, other] = [await tenant.company(), await tenant.company()];
      const id = await records.message(tenant.owner, { ...GIVEN, company_id: matched.id });
      const { status, body } = await send(message(), { company_id: other.id });
      expect(status).to.equal(201);
      expect(body).to.include({ id, status: "logged", company_id: other.id, source: "mail", attachments_added: 1 });
      expect(body).to.include({ body_text: "Dear Bob,\n\nyes, please.", occurred_guessed: false });
      const { rows } = await service.sql.query("select body_awaited from interactions where id = $1", [id]);
      expect(rows).to.deep.equal([{ body_awaited: false }]);
      expect((await send(message())).status).to.equal(409);
    });

    it("gives way to the logged copy if there is one; a colleague's waiting message is left alone", async () => {
      const colleague = await tenant.member("member");
      const theirs = await records.message(colleague, GIVEN);
      const { body: uploaded } = await send(message());
      expect(uploaded.source).to.equal("upload");
      expect((await colleague.get(`/interactions/${theirs}`)).body.status).to.equal("pending");
      const mine = await records.message(tenant.owner, GIVEN);
      const { status, body } = await send(message());
      expect([status, body.id, body.attachments_added, body.attachments_skipped]).to.deep.equal([201, uploaded.id, 0, 2]);
      expect((await tenant.owner.get(`/interactions/${mine}`)).status).to.equal(404);
    });
  });

  it("joins the conversation its headers name", async () => {
    const { body: first } = await send(message());
    const reply = message({
      id: "<two@example.com>",
      subject: "Re: Offer",
      extra: ["In-Reply-To: <one@example.com>", "References: <one@example.com>"],
    });
    expect((await send(reply)).body).to.deep.include({ conversation_id: first.id, conversation_count: 2 });
  });

  it("stores a message that has HTML only as markdown with its links, and none of its trackers", async () => {
    const body = [
      '<div style="display:none">Preview</div><h1>Offer</h1><p>Dear Bob, <a href="https://client.example/offer?id=1">see the offer</a>:</p>',
      '<ul><li>site</li><li>hosting</li></ul><blockquote>your question</blockquote><img src="https://t.example/1.gif" width="1">',
    ].join("");
    const sent = await send(`From: Ann <ann@client.example>\r\nSubject: x\r\nContent-Type: text/html\r\n\r\n${body}`);
    const { body: read } = await tenant.owner.get(`/interactions/${sent.body.id}`);
    expect(read.body_markdown).to.equal(
      "# Offer\n\nDear Bob, [see the offer](https://client.example/offer?id=1):\n\n- site\n- hosting\n\n> your question",
    );
    const plain = await send(message({ id: "<plain@example.com>" }));
    expect((await tenant.owner.get(`/interactions/${plain.body.id}`)).body.body_markdown).to.equal(null);
  });

  it("reads markup that is made to take long, away from requests", async () => {
    const html = (body: string) => `From: Ann <ann@client.example>\r\nSubject: x\r\nContent-Type: text/html\r\n\r\n${body}`;
    // A pattern looked for the end of every one of these to the end of the text: 221 s for a megabyte.
    for (const markup of ["<br ", "</p ", "<", "<div>", "<a b='"]) {
      const { status, text } = await send(html(`<p>Dear Bob</p>${markup.repeat(300_000 / markup.length)}`));
      expect([201, 422], `${markup}: ${text.slice(0, 200)}`).to.include(status);
    }
    const { body } = await send(html(`${"<div>".repeat(150)}deep<br class="x">and <b>down</b>${"</div>".repeat(150)}`));
    expect(body.body_text).to.equal("deep\nand down");
  });
});
