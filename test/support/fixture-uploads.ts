import { Readable } from "node:stream";
import { action } from "../../core/action.ts";
import { makeDraft } from "../../core/drafts.ts";
import { notFound } from "../../core/errors.ts";
import { draftFile, madeFile } from "../../core/file-answer.ts";
import { answer, input, integer, optional, text } from "../../core/schema.ts";
import { openStored } from "../../core/storage.ts";
import { lateUpload, taken, type Upload, upload } from "../../core/upload.ts";
import { service } from "../../mixins/resource.ts";

const Taken = answer("FixtureUploaded", {
  name: text(255),
  type: text(255),
  size: integer(),
  sha256: text(64),
  title: text(20),
  head: text(100),
});
const described = async (file: Upload, title = "") => {
  const { bytes } = await openStored(file);
  const [head = Buffer.alloc(0)] = (await bytes.take(1).toArray()) as Buffer[];
  const { name, type, size, sha256 } = file;
  return { name, type, size, sha256, title, head: head.subarray(0, 20).toString("latin1") };
};

/** Endpoints that take files and answer with some, for the proofs of the kernel alone. */
export const uploadsActor = service("websites.uploads", {
  actions: {
    take: action({
      rest: "POST /fixture/uploads",
      summary: "Take a file",
      permission: "websites.website.write",
      body: input("FixtureUpload", { file: upload(), title: optional(text(20)), count: optional(integer(1, 5)) }),
      query: { note: optional(text(5)) },
      returns: Taken,
      handler: (ctx) => described(ctx.params.body.file, ctx.params.body.title),
    }),

    takeLate: action({
      rest: "POST /fixture/uploads/late",
      summary: "Take a file after looking for its row",
      permission: "websites.website.write",
      body: input("FixtureLateUpload", { file: lateUpload(["image/png"]) }),
      query: { known: text(5) },
      returns: Taken,
      async handler(ctx) {
        if (ctx.params.known !== "yes") throw notFound();
        return described(taken(ctx.params.body.file));
      },
    }),

    made: action({
      rest: "GET /fixture/documents/made",
      summary: "A small document",
      permission: "websites.website.read",
      returnsFile: "text/csv",
      handler: () => madeFile({ name: 'hours "März".csv', type: "text/csv", bytes: "naam;uren\r\nAnna;8\r\n" }),
    }),

    large: action({
      rest: "GET /fixture/documents/large",
      summary: "A document of any size",
      permission: "websites.website.read",
      query: { mebibytes: integer(1, 64) },
      returnsFile: "text/plain",
      async handler(ctx) {
        const chunk = Buffer.alloc(65_536, "x");
        const chunks = function* () {
          for (let sent = 0; sent < ctx.params.mebibytes * 16; sent++) yield chunk;
        };
        const draft = await makeDraft(Readable.from(chunks(), { objectMode: false }));
        return draftFile({ name: "large.txt", type: "text/plain", draft });
      },
    }),
  },
});
