import { expect } from "chai";
import { readMessage } from "../../../services/work/interactions/messages/eml.ts";
import { compoundFile, outlookMessage, windowsTime } from "../../fixtures/work/outlook-message.ts";

const NOW = Date.UTC(2026, 5, 1);
const [SUBJECT, TEXT, HTML, HEADERS, MESSAGE_ID, SENT, CODE_PAGE] = [0x0037, 0x1000, 0x1013, 0x007d, 0x1035, 0x0039, 0x3ffd];
const [SENDER_NAME, SENDER_ADDRESS, SENDER_MAIL] = [0x0c1a, 0x0c1f, 0x5d01];
const [NAME, ADDRESS, MAIL, ROLE] = [0x3001, 0x3003, 0x39fe, 0x0c15];
const [DATA, LONG_NAME, SHORT_NAME, MIME_TYPE] = [0x3701, 0x3707, 0x3704, 0x370e];

const read = (bytes: Uint8Array) => readMessage(bytes, NOW);
const LONG = "Beste Noor,\r\n\r\nZie bijlage.\r\n".padEnd(6000, "x");

/** A message that was written in Outlook and saved before any server added headers. */
const WRITTEN = outlookMessage(
  {
    texts: {
      ...{ [SUBJECT]: "Offerte “De Linde”", [TEXT]: LONG, [MESSAGE_ID]: "<een@client.example>", [SENDER_NAME]: "Änn Client" },
      ...{ [SENDER_ADDRESS]: "/O=EXCHANGE/CN=ANN", [SENDER_MAIL]: "ann@client.example" },
    },
    fixed: { [SENT]: windowsTime("2026-03-02T09:15:00Z") },
  },
  [
    { texts: { [NAME]: "Owner", [ADDRESS]: "owner@agency.example" }, fixed: { [ROLE]: 1n } },
    { texts: { [NAME]: "Cas", [ADDRESS]: "/O=X", [MAIL]: "cas@client.example" }, fixed: { [ROLE]: 2n } },
    { texts: { [NAME]: "Verborgen", [ADDRESS]: "bcc@client.example" }, fixed: { [ROLE]: 3n } },
  ],
  [
    {
      texts: { [LONG_NAME]: "Offerte voor de bakkerij.txt", [SHORT_NAME]: "OFFERT~1.TXT" },
      bytes: { [DATA]: Buffer.from("Tekst") },
    },
    { texts: { [SHORT_NAME]: "groot.bin", [MIME_TYPE]: "image/png" }, bytes: { [DATA]: Buffer.alloc(9000, 7) } },
  ],
);

describe("messages that Outlook saved (.msg)", () => {
  it("are read with their people, date, body and files", async () => {
    const { attachments, text, ...rest } = (await read(WRITTEN)) ?? { attachments: [], text: "" };
    expect(rest).to.deep.equal({
      subject: "Offerte “De Linde”",
      sent_at: "2026-03-02T09:15:00.000Z",
      markdown: null,
      message_id: "<een@client.example>",
      thread_id: "<een@client.example>",
      participants: [
        { email: "ann@client.example", name: "Änn Client", role: "from" },
        { email: "owner@agency.example", name: "Owner", role: "to" },
        { email: "cas@client.example", name: "Cas", role: "cc" },
      ],
    });
    expect([text.slice(0, 30), text.length]).to.deep.equal([LONG.replaceAll("\r\n", "\n").slice(0, 30), LONG.length - 3]);
    expect(attachments.map(({ name, type, bytes }) => [name, type, bytes.length])).to.deep.equal([
      ["Offerte voor de bakkerij.txt", "text/plain", 5],
      ["groot.bin", "image/png", 9000],
    ]);
  });

  it("have the headers of their way by mail, without those of the body", async () => {
    const sent = [
      "Received: from a by b; Mon, 2 Mar 2026 10:20:00 +0100",
      "Content-Type: multipart/mixed; boundary=x",
      "From: =?utf-8?Q?=C3=84nn?= <ann@client.example>, b@client.example",
      "To: Owner\r\n <owner@agency.example>",
      "Subject: Van de server",
      "References: <nul@client.example> <een@client.example>",
    ].join("\r\n");
    const message = await read(outlookMessage({ texts: { [HEADERS]: sent, [SUBJECT]: "Anders", [TEXT]: "Dag" } }));
    expect(message).to.deep.include({ subject: "Van de server", text: "Dag", sent_at: "2026-03-02T09:20:00.000Z" });
    expect(message?.thread_id).to.equal("<nul@client.example>");
    expect(message?.participants.map(({ email, name }) => `${name} ${email}`)).to.deep.equal([
      "Änn ann@client.example",
      "null b@client.example",
      "Owner owner@agency.example",
    ]);
  });

  it("are read in the code page that they name, and in HTML alone as markdown", async () => {
    const narrow = { [SUBJECT]: Buffer.from([0xcf, 0xf0, 0xe8]), [SENDER_NAME]: Buffer.from("Ann") };
    const html = { [HTML]: Buffer.from('<p>Zie <a href="https://client.example/a">hier</a></p>') };
    const message = await read(outlookMessage({ narrow, bytes: html, fixed: { [CODE_PAGE]: 1251n } }));
    expect(message).to.deep.include({ subject: "При", text: "Zie hier", markdown: "Zie [hier](https://client.example/a)" });
  });

  it("are no message when a damaged file has neither people nor a subject, and none in any other compound file", async () => {
    expect(await read(compoundFile({ WordDocument: Buffer.from("x") }))).to.equal(null);
    expect(await read(WRITTEN.subarray(0, 600))).to.equal(null);
  });

  it("end for every file that is cut or changed, without an error", async () => {
    for (let length = 512; length < WRITTEN.length; length += 512) await read(WRITTEN.subarray(0, length));
    for (let at = 0; at < WRITTEN.length; at += 13) {
      const changed = Buffer.from(WRITTEN);
      changed[at] = 0xff;
      await read(changed);
    }
  });

  it("end for chains of sectors that go round, and streams longer than the file", async () => {
    const fatAt = (WRITTEN.readUInt32LE(76) + 1) * 512;
    for (const target of [0, 1, 2]) {
      const round = Buffer.from(WRITTEN);
      for (let sector = 0; sector < 20; sector++) round.writeUInt32LE(target, fatAt + 4 * sector);
      expect(await read(round)).to.equal(null);
    }
    const table = Buffer.from(WRITTEN);
    table.writeUInt32LE(0, 68);
    expect(await read(table)).to.equal(null);
    const directory = (WRITTEN.readUInt32LE(48) + 1) * 512;
    const long = Buffer.from(WRITTEN);
    for (let entry = 0; entry < 8; entry++) long.writeUInt32LE(0x7fff_ffff, directory + entry * 128 + 120);
    expect(await read(long)).to.equal(null);
    const cyclic = Buffer.from(WRITTEN);
    cyclic.writeUInt32LE(0, directory + 128 + 72);
    expect(await read(cyclic)).to.equal(null);
  });
});
