import { randomUUID } from "node:crypto";
import { expect } from "chai";
import sharp from "sharp";
import { fileBody } from "../../../support/multipart.ts";
import { png } from "../../../support/pictures.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { setLogo, storedFiles, storeHolds } from "../../platform/files-support.ts";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const ICO = Buffer.concat([Buffer.from([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0]), Buffer.alloc(100)]);
const WRONG = { code: "validation", message: "errors.upload_type", fields: { file: "errors.upload_type" } };

const canvas = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 30 } } });
const photo = () =>
  canvas(60, 30)
    .withExif({ IFD0: { Copyright: "Somebody", ImageDescription: "private" }, IFD3: { GPSLatitudeRef: "N" } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
const animation = async () => {
  const frames = await Promise.all(
    ["red", "green", "blue"].map((background) =>
      canvas(8, 8)
        .composite([{ input: { create: { width: 8, height: 8, channels: 4, background } } }])
        .png()
        .toBuffer(),
    ),
  );
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: [100, 200, 300], loop: 2 })
    .toBuffer();
};

describe("the logo of a company", () => {
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;
  let id: string;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    owner = tenant.owner;
  });
  beforeEach(async () => {
    ({ id } = await tenant.company());
  });
  after(() => service.stop());

  const logo = (caller = owner, headers: Record<string, string> = {}) => caller.get(`/companies/${id}/logo`, { headers });
  const trail = async () =>
    (await owner.get(`/activity?entity_type=company&entity_id=${id}`)).body.map(
      ({ action, payload }: { action: string; payload: object }) => [action, payload],
    );

  it("is set with 200 and the company, and read with tag and caching", async () => {
    const { status, body, headers } = await setLogo(owner, id, png(), "image/png", "huisstijl.png");
    expect([status, body.id]).to.deep.equal([200, id]);
    expect(body.logo_file_id).to.be.a("string");
    expect(headers["etag"]).to.equal('"2"');
    const answer = await logo();
    expect(answer.status).to.equal(200);
    expect(answer.headers).to.include({
      "content-type": "image/png",
      etag: `"${body.logo_file_id}"`,
      "cache-control": "private, max-age=3600",
      "x-content-type-options": "nosniff",
      "content-disposition": 'inline; filename="huisstijl.png"',
    });
    expect((await logo(owner, { "If-None-Match": `"${body.logo_file_id}"` })).status).to.equal(304);
    expect((await owner.get(`/companies/${id}`)).body.logo_file_id).to.equal(body.logo_file_id);
    expect((await trail())[0]).to.deep.equal(["logo_uploaded", { filename: "huisstijl.png" }]);
  });

  it("is 404 to read or remove if missing", async () => {
    expect((await logo()).status).to.equal(404);
    expect((await owner.delete(`/companies/${id}/logo`)).status).to.equal(404);
  });

  it("is removed with 200 and the company; the file goes with it", async () => {
    const { logo_file_id: file } = (await setLogo(owner, id, png())).body;
    const { status, body } = await owner.delete(`/companies/${id}/logo`);
    expect([status, body.logo_file_id]).to.deep.equal([200, null]);
    expect((await owner.get(`/files/${file}`)).status).to.equal(404);
    expect((await trail())[0]).to.deep.equal(["logo_removed", {}]);
  });

  it("is replaced by a new file, and the old one is gone", async () => {
    const one = (await setLogo(owner, id, png())).body.logo_file_id;
    const two = (await setLogo(owner, id, png())).body.logo_file_id;
    expect(two).to.not.equal(one);
    expect((await owner.get(`/files/${one}`)).status).to.equal(404);
    expect((await owner.get(`/files/${two}`)).status).to.equal(200);
  });

  it("replaced by identical bytes is a new file that keeps the stored content", async () => {
    const bytes = png();
    const one = (await setLogo(owner, id, bytes)).body.logo_file_id;
    const before = storedFiles().length;
    const two = (await setLogo(owner, id, bytes)).body.logo_file_id;
    expect(two).to.not.equal(one);
    expect((await logo()).status).to.equal(200);
    await storeHolds(before);
  });

  describe("pictures", () => {
    it("are re-encoded without metadata, upright", async () => {
      const sent = await photo();
      expect((await sharp(sent).metadata()).exif).to.be.instanceOf(Buffer);
      await setLogo(owner, id, sent, "image/jpeg", "photo.jpg");
      const { bytes, headers } = await logo();
      const { format, width, height, exif, orientation, icc } = await sharp(bytes).metadata();
      expect([headers["content-type"], format, width, height]).to.deep.equal(["image/jpeg", "jpeg", 30, 60]);
      expect([exif, orientation, icc]).to.deep.equal([undefined, undefined, undefined]);
      expect(bytes.includes("Somebody")).to.equal(false);
    });

    it("lose the data hidden behind them", async () => {
      await setLogo(owner, id, Buffer.concat([png(), Buffer.from("<script>alert(1)</script>")]));
      expect((await logo()).bytes.includes("script")).to.equal(false);
    });

    it("of type GIF keep their frames, delays and loops", async () => {
      await setLogo(owner, id, await animation(), "image/gif", "logo.gif");
      const { bytes, headers } = await logo();
      const { format, pages, delay, loop } = await sharp(bytes, { animated: true }).metadata();
      expect([headers["content-type"], format, pages, delay, loop]).to.deep.equal(["image/gif", "gif", 3, [100, 200, 300], 2]);
    });

    it("of type WebP stay WebP", async () => {
      await setLogo(owner, id, await canvas(10, 10).webp().toBuffer(), "image/webp", "logo.webp");
      expect((await sharp((await logo()).bytes).metadata()).format).to.equal("webp");
    });

    for (const [type, content, name] of [
      ["image/svg+xml", SVG, "logo.svg"],
      ["image/x-icon", ICO, "favicon.ico"],
    ] as const)
      it(`of type ${type} are stored as sent and saved, not shown`, async () => {
        await setLogo(owner, id, content, type, name);
        const { bytes, headers } = await logo();
        expect(bytes.equals(Buffer.from(content))).to.equal(true);
        expect(headers).to.include({ "content-type": type, "content-disposition": `attachment; filename="${name}"` });
      });

    it("are named by the registered type of icons too", async () => {
      expect((await setLogo(owner, id, ICO, "image/vnd.microsoft.icon", "favicon.ico")).status).to.equal(200);
    });

    it("of exactly 40 megapixels are accepted", async () => {
      expect((await setLogo(owner, id, await canvas(8000, 5000).png().toBuffer())).status).to.equal(200);
    });
  });

  describe("is refused with 422 {file: errors.upload_type}", () => {
    const refused: [string, string, () => Buffer | string | Promise<Buffer>][] = [
      ["a PDF", "application/pdf", () => "%PDF-1.7\n"],
      ["a text", "text/plain", () => "logo"],
      ["a picture of a kind nobody shows", "image/tiff", () => Buffer.from("II*\0\u0010\0\0\0", "latin1")],
      ["text said to be a picture", "image/png", () => "no picture"],
      ["a picture that breaks off", "image/png", () => png(64, 64).subarray(0, 2000)],
      ["a picture with a header and nothing in it", "image/png", () => png(10, 10, Buffer.alloc(0))],
      ["more than 40 megapixels", "image/png", () => canvas(8001, 5000).png({ compressionLevel: 9 }).toBuffer()],
      ["a small file that claims a billion pixels", "image/png", () => png(40_000, 30_000, Buffer.alloc(1000))],
      [
        "an animation of more than 40 megapixels in all",
        "image/gif",
        async () => {
          const frame = await canvas(1500, 1500).png().toBuffer();
          return sharp(
            Array.from({ length: 20 }, () => frame),
            { join: { animated: true } },
          )
            .gif({ keepDuplicateFrames: true })
            .toBuffer();
        },
      ],
    ];
    for (const [what, type, content] of refused)
      it(what, async () => {
        const before = storedFiles().length;
        const { status, body } = await setLogo(owner, id, await content(), type);
        expect([status, body.error]).to.deep.equal([422, WRONG]);
        await storeHolds(before);
        expect((await logo()).status).to.equal(404);
      });

    it("and with `errors.required` if there is no file", async () => {
      const { body } = await owner.post(`/companies/${id}/logo`, undefined);
      expect(body.error.fields).to.deep.equal({ file: "errors.required" });
    });
  });

  it("over 10 MiB is 413 errors.upload_too_large", async () => {
    const { status, body } = await setLogo(owner, id, Buffer.concat([png(), Buffer.alloc(10_485_760)]));
    expect([status, body.error]).to.deep.equal([
      413,
      { code: "validation", message: "errors.upload_too_large", fields: { file: "errors.upload_too_large" } },
    ]);
  });

  describe("needs", () => {
    it("companies.company.write to set and remove, without the generic file permission, and .read to see", async () => {
      const writer = await tenant.member("member", { grants: ["companies.company.read", "companies.company.write"] });
      const reader = await tenant.member("member", { grants: ["companies.company.read"] });
      expect((await setLogo(reader, id, png())).status).to.equal(403);
      expect((await setLogo(writer, id, png())).status).to.equal(200);
      expect((await logo(reader)).status).to.equal(200);
      expect((await reader.delete(`/companies/${id}/logo`)).status).to.equal(403);
      expect((await writer.delete(`/companies/${id}/logo`)).status).to.equal(200);
    });

    it("a company in view, for the logo and for its file by id", async () => {
      const restricted = await tenant.member("admin");
      await tenant.group(randomUUID(), [(await tenant.company()).id], [restricted.membershipId]);
      const { logo_file_id: file } = (await setLogo(owner, id, png())).body;
      const before = storedFiles().length;
      expect((await logo(restricted)).status).to.equal(404);
      expect((await restricted.get(`/files/${file}`)).status).to.equal(404);
      expect((await setLogo(restricted, id, png())).status).to.equal(404);
      expect((await restricted.delete(`/companies/${id}/logo`)).status).to.equal(404);
      expect((await setLogo((await service.tenant()).owner, id, png())).status).to.equal(404);
      await storeHolds(before);
    });
  });

  it("is not among the company's files, and /files neither adds nor removes it", async () => {
    const { logo_file_id: file } = (await setLogo(owner, id, png())).body;
    expect((await owner.get(`/files?entity_type=company&entity_id=${id}`)).body).to.deep.equal([]);
    expect((await owner.delete(`/files/${file}`)).status).to.equal(403);
    const sent = fileBody(png(), "image/png", "logo.png");
    const query = `entity_type=company_logo&entity_id=${id}`;
    expect((await owner.post(`/files?${query}`, sent.body, { headers: sent.headers })).status).to.equal(403);
    expect((await logo()).status).to.equal(200);
  });

  it("is removed only while If-Match names it", async () => {
    const { logo_file_id: file } = (await setLogo(owner, id, png())).body;
    const remove = (tag: string) => owner.delete(`/companies/${id}/logo`, { headers: { "If-Match": tag } });
    expect((await remove('"2"')).status).to.equal(412);
    expect((await remove(`"${file}"`)).status).to.equal(200);
  });

  it("set by many in parallel ends as one of them, without a file too many", async () => {
    const before = storedFiles().length;
    const answers = await Promise.all(Array.from({ length: 6 }, () => setLogo(owner, id, png())));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(6).fill(200));
    const { rows } = await service.sql.query("select id from files where entity_type = 'company_logo' and entity_id = $1", [id]);
    expect(rows.map(({ id: file }) => file)).to.deep.equal([(await owner.get(`/companies/${id}`)).body.logo_file_id]);
    await storeHolds(before + 6);
  });

  it("goes with its company", async () => {
    const { logo_file_id: file } = (await setLogo(owner, id, png())).body;
    await owner.delete(`/companies/${id}`);
    expect((await service.sql.query("select 1 from files where id = $1", [file])).rowCount).to.equal(0);
  });
});
