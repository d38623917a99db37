import type { RowOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { lock, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { download } from "../../../core/declare/makers/download.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { PICTURE_TYPES } from "../../../core/files/file-types.ts";
import { fileAnswer, fileRow, keepFile, removeFile } from "../../../core/files/files.ts";
import { upload } from "../../../core/files/upload.ts";
import { requireTag } from "../../../core/http/etag.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { input } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { rowsOf, service } from "../../../mixins/resource.ts";
import { Company } from "../models.ts";
import { companyProjection, visibleCompany } from "./company.list.ts";
import { type Logo, logoOf } from "./company-logo.ts";
import { CompanyRead } from "./company-schemas.ts";

const companies = rowsOf({ model: Company, projection: companyProjection, visible: visibleCompany });
const LOGO = statement(`select t.logo_file_id as id from companies t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or ${visibleCompany("$3::uuid[]")})`);

/** @throws 404 for a company the caller does not see */
async function logoId(companyId: string): Promise<string | null> {
  const { organisation, principal } = request();
  const row = await queryOne<{ id: string | null }>(LOGO, [organisation.id, companyId, principal?.selection ?? null]);
  if (!row) throw notFound();
  return row.id;
}

/** The company, locked for a change of its logo; `If-Match` refers to the company's own ETag. @throws 404 */
async function stored(id: string): Promise<RowOf<typeof Company>> {
  const sources = request().principal?.selection ?? null;
  const row = sources === null ? await lock(Company, id) : await lock(Company, id, visibleCompany("$3::uuid[]"), [sources]);
  if (!row) throw notFound();
  return row;
}

export default service("companies.logo", {
  actions: {
    get: download({
      rest: "GET /companies/:company_id/logo",
      summary: "The logo of a company",
      permission: "companies.company.read",
      returnsFile: "image/*",
      otherStatuses: { 304: "The caller has it already." },
      errors: ["not_found errors.file_bytes_missing", "not_found errors.storage_backend_unavailable"],
      async handler(ctx) {
        const id = await logoId(ctx.params.company_id);
        if (id === null) throw notFound();
        return fileAnswer(await fileRow(id));
      },
    }),

    set: action({
      rest: "POST /companies/:company_id/logo",
      verb: "set",
      summary: "Set the logo of a company",
      description:
        "PNG, JPEG, WebP and GIF are re-encoded without metadata, GIF and WebP with their frames, 40 megapixels at most; SVG and icons are stored as sent.",
      permission: "companies.company.write",
      body: input(
        "CompanyLogo",
        { file: upload(PICTURE_TYPES) },
        { file: "The picture, at most 10 MiB unless the installation allows more" },
      ),
      returns: CompanyRead,
      status: 200,
      async prepare(ctx) {
        await logoId(ctx.params.company_id);
        return logoOf(ctx.params.body.file);
      },
      async handler(ctx) {
        const id = ctx.params.company_id;
        const company = await stored(id);
        const logo = prepared<Logo>();
        queueUpdate(Company, id, { logo_file_id: await keepFile(logo, { entityType: "company_logo", entityId: id }) });
        if (company.logo_file_id) removeFile(company.logo_file_id);
        trail("company", id, "logo_uploaded", { filename: logo.name });
        return companies.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /companies/:company_id/logo",
      summary: "Remove the logo of a company",
      description: "`If-Match` is the tag of the logo itself.",
      permission: "companies.company.write",
      returns: CompanyRead,
      async handler(ctx) {
        const id = ctx.params.company_id;
        const company = await stored(id);
        const { logo_file_id: logo } = company;
        if (logo === null) throw notFound();
        requireTag(`"${logo}"`);
        queueUpdate(Company, id, { logo_file_id: null });
        removeFile(logo);
        trail("company", id, "logo_removed");
        return companies.answerWith(id);
      },
    }),
  },
});
