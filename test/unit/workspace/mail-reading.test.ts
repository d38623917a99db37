import { createHash } from "node:crypto";
import { expect } from "chai";
import PostalMime from "postal-mime";
import { offsetOf } from "../../../integrations/workspace/mail/mail-jobs.ts";
import { readMessage, UnreadableMessage, unescaped } from "../../../integrations/workspace/mail/message.ts";
import { readReference } from "../../../integrations/workspace/mail/reference.ts";
import { searchQuery } from "../../../integrations/workspace/mail/search-query.ts";
import { savedMessage } from "../../../integrations/workspace/mail/whole-message.ts";

const base64url = (text: string, encoding: BufferEncoding = "utf8") => Buffer.from(text, encoding).toString("base64url");

describe("a message as its headers have it", () => {
  const raw = (headers: Record<string, string>, more: object = {}) => ({
    id: "a1",
    threadId: "t1",
    internalDate: "1767225600000",
    snippet: "Hi",
    payload: { headers: Object.entries(headers).map(([name, value]) => ({ name, value })) },
    ...more,
  });
  it("names who took part, each once, with groups, encoded names and addresses in lower case", () => {
    const { participants, subject, message_id } = readMessage(
      raw({
        from: "=?utf-8?q?J=C3=B6rg?= <JORG@Client.Example>",
        To: 'team: ann@a.nl, "B, Bob" <bob@a.nl>;, ann@a.nl',
        CC: "undisclosed-recipients:;",
        Subject: "=?utf-8?b?UHJpanPinIU=?=",
        "Message-Id": " <x@y> ",
      }),
    );
    expect(participants).to.deep.equal([
      { email: "jorg@client.example", name: "Jörg", role: "from" },
      { email: "ann@a.nl", name: null, role: "to" },
      { email: "bob@a.nl", name: "B, Bob", role: "to" },
    ]);
    expect([subject, message_id]).to.deep.equal(["Prijs✅", "<x@y>"]);
  });
  it("has no control characters, at most 500 of a subject, and nothing for a header that is missing", () => {
    const { subject } = readMessage(raw({ Subject: `a\u0000b\r\n ${"x".repeat(600)}` }));
    expect(subject?.startsWith("a b  xxx")).to.equal(true);
    expect(subject).to.have.length(500);
    expect(readMessage(raw({ Subject: `${"x".repeat(499)}\u{1f600}` })).subject).to.equal("x".repeat(499));
    expect(readMessage(raw({})) as object).to.deep.include({ subject: null, message_id: null, participants: [], labels: [] });
  });
  it("has no half of a surrogate pair, which PostgreSQL rejects in JSON", () => {
    const half = "\ud83d";
    const message = readMessage(raw({ From: `"Jo${half}" <jo@a.nl>`, Subject: `a${half}b` }, { snippet: `cut ${half}` }));
    expect([message.subject, message.snippet, message.participants[0]?.name]).to.deep.equal([
      "a\ufffdb",
      "cut \ufffd",
      "Jo\ufffd",
    ]);
  });
  it("raises without id, thread or a moment there is", () => {
    expect(() => readMessage(raw({}, { id: null }))).to.throw(UnreadableMessage);
    expect(() => readMessage(raw({}, { threadId: null }))).to.throw(UnreadableMessage);
    for (const internalDate of [null, "", "soon", "99999999999999999", "-99999999999999", `${Date.UTC(10_000, 0)}`])
      expect(() => readMessage(raw({}, { internalDate })), `${internalDate}`).to.throw(UnreadableMessage);
    expect(readMessage(raw({}, { internalDate: `${Date.UTC(10_000, 0) - 1}` })).occurred_at).to.equal("9999-12-31T23:59:59.999Z");
  });
  it("has its snippet as text", () => {
    expect(unescaped("it&#39;s &lt;b&gt; &amp;amp; &#x2705; &#0; &bogus;")).to.equal("it's <b> &amp; ✅ &#0; &bogus;");
  });
});

describe("a message as a mail program would save it", () => {
  const part = (mimeType: string, data: string, more: object = {}) => ({ mimeType, body: { data, size: data.length }, ...more });
  it("has its texts, in any character set, its files and their names", async () => {
    const saved = await savedMessage(
      {
        payload: {
          mimeType: "multipart/mixed",
          parts: [
            {
              mimeType: "multipart/alternative",
              parts: [
                part("text/plain", base64url("Pijzé", "latin1"), {
                  headers: [{ name: "Content-Type", value: "text/plain; charset=iso-8859-1" }],
                }),
                part("text/html", base64url("<p>Prijs ✅</p>")),
              ],
            },
            { mimeType: "application/pdf", filename: "lógo (1).pdf", body: { attachmentId: "one", size: 5 } },
            { mimeType: "application/pdf", filename: "large.pdf", body: { attachmentId: "two", size: 5000 } },
          ],
        },
      },
      1000,
      async (id) => Buffer.from(`${id} file`),
    );
    const { text, html, attachments } = await PostalMime.parse(saved);
    expect([text?.trim(), html?.trim()]).to.deep.equal(["Pijzé", "<p>Prijs ✅</p>"]);
    expect(attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer).toString()])).to.deep.equal([
      ["lógo (1).pdf", "one file"],
    ]);
  });
  it("is one text without parts, and empty without text", async () => {
    const none = async () => Buffer.alloc(0);
    const saved = await savedMessage({ payload: part("text/plain", base64url("Just this")) }, 10, none);
    expect((await PostalMime.parse(saved)).text?.trim()).to.equal("Just this");
    expect((await PostalMime.parse(await savedMessage({}, 10, none))).text?.trim() ?? "").to.equal("");
  });
});

describe("a mail reference (workspace §2.6, lookup)", () => {
  const message = (id: string) => ({ kind: "message", id });
  const cases: [string, unknown][] = [
    ["18c2f0a1b2c3d4e5", message("18c2f0a1b2c3d4e5")],
    [" 18C2F0A1 ", message("18c2f0a1")],
    ["1234567", "unreadable"],
    ["msg-f:255", message("ff")],
    ["#msg-a:1784123456789012345", message(1784123456789012345n.toString(16))],
    ["msg-a:r1784123456789012345", "unreadable"],
    ["thread-f:256", { kind: "thread", id: "100" }],
    ["thread-a:256", { kind: "thread", id: "100" }],
    ["<CAB+x=1@mail.example.com>", { kind: "header", value: "CAB+x=1@mail.example.com" }],
    ["rfc822msgid:a@b", { kind: "header", value: "a@b" }],
    ["https://mail.google.com/mail/u/0/#inbox/18c2f0a1b2c3d4e5", message("18c2f0a1b2c3d4e5")],
    ["https://mail.google.com/mail/u/0/#search/from%3Ax/18c2f0a1b2c3d4e5?compose=new", message("18c2f0a1b2c3d4e5")],
    ["https://mail.google.com/mail/u/0/#all/thread-f:256", { kind: "thread", id: "100" }],
    ["https://mail.google.com/mail/?th=18c2f0a1b2c3d4e5&view=btop", message("18c2f0a1b2c3d4e5")],
    ["https://mail.google.com/mail/?msgid=msg-f:255", message("ff")],
    ["https://mail.google.com/mail/u/0/#inbox/FMfcgzQVxlBcdNPMQzkgBwqrD", "web_id"],
    ["https://mail.google.com/mail/u/0/#inbox/FMfcgzQ", "web_id"],
    ["https://mail.google.com/mail/u/0/#label/Bakery/Qx_-1", "web_id"],
    ["https://mail.google.com/mail/u/0/#inbox/18c2f0a", "web_id"],
    ["https://example.com/#inbox/FMfcgzQVxlBcdNPMQzkgBwqrD", "unreadable"],
    ["https://mail.google.com/mail/u/0/#inbox", "unreadable"],
    ["https://", "unreadable"],
    ["%E0%A4%A", "unreadable"],
    ["", "empty"],
    [" \t", "empty"],
  ];
  for (const [text, expected] of cases) it(`'${text}'`, () => expect(readReference(text)).to.deep.equal(expected));
});

describe("the query of a search (workspace §2.6, search)", () => {
  const cases: [object, string | null][] = [
    [{ participant: "a@b.nl" }, "(from:a@b.nl OR to:a@b.nl OR cc:a@b.nl) -in:spam -in:trash"],
    [{ participant: "Ann (de) Boer" }, '(from:"Ann de Boer" OR to:"Ann de Boer" OR cc:"Ann de Boer") -in:spam -in:trash'],
    [{ subject: 'A: "b"\t(c)' }, 'subject:"A b c" -in:spam -in:trash'],
    [{ after: "2026-01-01", before: "2026-12-31" }, "after:2026-01-01 before:2027-01-01 -in:spam -in:trash"],
    [{ subject: "x".repeat(300) }, `subject:"${"x".repeat(200)}" -in:spam -in:trash`],
    [{ subject: `${"x".repeat(199)}\u{1f600}` }, `subject:"${"x".repeat(199)}" -in:spam -in:trash`],
    [{ participant: " ", subject: '"' }, null],
    [{}, null],
  ];
  for (const [sent, query] of cases) it(JSON.stringify(sent).slice(0, 60), () => expect(searchQuery(sent)).to.equal(query));
});

describe("the moment of a poll", () => {
  /** Ids that look random and are the same in every run. */
  const idOf = (n: number) => {
    const digits = createHash("sha256").update(String(n)).digest("hex");
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
  };

  it("spreads mailboxes over the five minutes", () => {
    const minutes = Array.from({ length: 500 }, (_, n) => Math.floor(offsetOf(idOf(n)) / 60_000));
    const counts = [0, 1, 2, 3, 4].map((minute) => minutes.filter((one) => one === minute).length);
    expect(Math.min(...counts)).to.be.greaterThan(60);
    expect(Math.max(...counts)).to.be.lessThan(140);
  });
});
