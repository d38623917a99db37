import { expect } from "chai";
import { readMessage } from "../../../services/work/interactions/messages/eml.ts";
import { readTnef } from "../../../services/work/interactions/messages/outlook/tnef.ts";
import { attachment, attribute, property, stream, u16, u32 } from "../../fixtures/work/winmail.ts";

const WINMAIL = stream(
  attribute(1, 0x9006, u32(0x00010000)),
  attribute(1, 0x800c, Buffer.from("Tekst van het bericht\0")),
  attachment("OFFERT~1.TXT", "Beste Noor", "Offerte voor de bakkerij.txt"),
  attachment("notitie.txt", "Tweede"),
);

const read = (bytes: Uint8Array, most = 20) =>
  readTnef(bytes, most)?.map(({ name, bytes: content }) => `${name}: ${Buffer.from(content).toString()}`) ?? null;

describe("winmail.dat", () => {
  it("is read into its files, by their long names", () => {
    expect(read(WINMAIL)).to.deep.equal(["Offerte voor de bakkerij.txt: Beste Noor", "notitie.txt: Tweede"]);
    expect(read(WINMAIL, 1)).to.deep.equal(["Offerte voor de bakkerij.txt: Beste Noor"]);
  });

  it("gives the files that a cut stream holds whole, and none of other bytes", () => {
    for (let length = 0; length <= WINMAIL.length; length++) {
      const files = read(WINMAIL.subarray(0, length));
      if (length < 6) expect(files).to.equal(null);
      else for (const file of files ?? []) expect(["Beste Noor", "Tweede"]).to.include(file.split(": ")[1]);
    }
    expect(read(Buffer.from("%PDF-1.7 and more"))).to.equal(null);
    expect(read(stream())).to.deep.equal([]);
  });

  it("bounds lengths and counts that are made up", () => {
    const huge = u32(0xffff_ffff);
    expect(read(stream(Buffer.concat([Buffer.from([2]), u16(0x800f), u16(6), huge])))).to.deep.equal([]);
    for (const properties of [
      huge,
      Buffer.concat([huge, property(0x001f, 0x3707, Buffer.concat([u32(1), huge]))]),
      Buffer.concat([huge, property(0x001e, 0x3707, Buffer.concat([huge, Buffer.alloc(64)]))]),
      Buffer.concat([u32(1), property(0x101f, 0x3707, Buffer.concat([huge, huge]))]),
      Buffer.concat([u32(1), property(0x001f, 0x8001, Buffer.concat([Buffer.alloc(16), u32(1), huge]))]),
    ])
      expect(read(stream(attachment("kort.txt", "x"), attribute(2, 0x9005, properties)))).to.have.length(1);
    const changed = Buffer.from(WINMAIL);
    for (let at = 6; at < changed.length; at++) {
      const kept = changed[at] as number;
      changed[at] = 0xff;
      expect(() => readTnef(changed, 20)).not.to.throw();
      changed[at] = kept;
    }
  });

  const message = (winmail: Buffer, type = "application/ms-tnef") =>
    Buffer.from(
      [
        "From: Ann Client <ann@client.example>",
        "Subject: Offerte",
        'Content-Type: multipart/mixed; boundary="x"',
        "",
        "--x",
        "Content-Type: text/plain",
        "",
        "Zie bijlage",
        "--x",
        `Content-Type: ${type}; name="winmail.dat"`,
        'Content-Disposition: attachment; filename="winmail.dat"',
        "Content-Transfer-Encoding: base64",
        "",
        winmail.toString("base64"),
        "--x--",
        "",
      ].join("\r\n"),
    );

  it("counts as its files in a message; one without files stays as it is", async () => {
    for (const [winmail, type, names] of [
      [WINMAIL, "application/ms-tnef", ["Offerte voor de bakkerij.txt", "notitie.txt"]],
      [WINMAIL, "application/octet-stream", ["Offerte voor de bakkerij.txt", "notitie.txt"]],
      [stream(), "application/ms-tnef", ["winmail.dat"]],
      [Buffer.from("something else"), "application/ms-tnef", ["winmail.dat"]],
    ] as const) {
      const read = await readMessage(message(winmail, type), Date.UTC(2026, 2, 1));
      expect(read?.attachments.map(({ name }) => name)).to.deep.equal(names);
      expect(read?.text).to.equal("Zie bijlage");
    }
  });

  it("stays as it is with more than a hundred files, so that none is lost", async () => {
    const files = Array.from({ length: 101 }, (_, n) => attachment(`${n}.txt`, `${n}`));
    const names = async (bytes: Buffer) =>
      (await readMessage(message(bytes), Date.UTC(2026, 2, 1)))?.attachments.map(({ name }) => name);
    expect(await names(stream(...files.slice(1)))).to.have.length(100);
    expect(await names(stream(...files))).to.deep.equal(["winmail.dat"]);
  });
});
