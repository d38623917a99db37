import { randomUUID } from "node:crypto";
import { keepFile } from "../../../core/files/files.ts";
import { stageBytes } from "../../../core/files/staged-uploads.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import type { Tenant, TestService } from "../../support/service.ts";
import type { Row } from "./reporting-world.ts";

/** The bytes of a document, to compare with a mail's attachment. */
export const PDF = Buffer.from("%PDF-1.7\nthe report\n%%EOF\n");

/** Reports written as runs leave them, in any state a test needs. */
export class MadeReports {
  readonly #service: TestService;
  readonly #tenant: Tenant;
  readonly #company: string | null;

  constructor(service: TestService, tenant: Tenant, company: string | null) {
    this.#service = service;
    this.#tenant = tenant;
    this.#company = company;
  }

  /** Stores a PDF as a file of a report. */
  document(reportId: string): Promise<string> {
    return inTenancy(
      () => systemRequest("test", this.#tenant.organisation, "write"),
      async () => {
        const staged = await stageBytes(PDF);
        return keepFile(
          { ...staged, name: "Rapportage Vela 2026-09.pdf", type: "application/pdf" },
          { entityType: "report", entityId: reportId },
        );
      },
    );
  }

  /** A report that is ready, with a document, unless its values say otherwise. */
  async report(values: Row = {}): Promise<string> {
    const id = randomUUID();
    const row: Row = {
      id,
      organisation_id: this.#tenant.organisation.id,
      company_id: this.#company,
      company_name: "Vela",
      audience: "client",
      status: "ready",
      locale: "nl",
      title: "Rapportage september 2026",
      period_start: "2026-09-01",
      period_end: "2026-09-30",
      compare_start: "2025-09-01",
      compare_end: "2025-09-30",
      run_id: randomUUID(),
      ...("pdf_file_id" in values ? {} : { pdf_file_id: await this.document(id) }),
      ...values,
    };
    const names = Object.keys(row);
    await this.#service.sql.query(
      `insert into reports (${names.join()}) values (${names.map((_, index) => `$${index + 1}`).join()})`,
      Object.values(row),
    );
    return id;
  }

  async row(id: string): Promise<Row> {
    return (await this.#service.sql.query("select * from reports where id = $1", [id])).rows[0];
  }

  async trail(id: string): Promise<[string, Row][]> {
    const { rows } = await this.#service.sql.query("select action, payload from activity where entity_id = $1 order by id", [id]);
    return rows.map(({ action, payload }) => [action, payload]);
  }

  /** A mail of a report's document, with an outcome. A mail that is under way belongs to a node that died. */
  async mail(id: string, email: string, status: string): Promise<void> {
    await this.#service.sql.query(
      `insert into report_mails (id, organisation_id, report_id, document_id, address, email, status, holder, held_until)
        select gen_random_uuid(), organisation_id, id, pdf_file_id, $2, $2, $3, gen_random_uuid(), now() from reports where id = $1`,
      [id, email, status],
    );
  }

  /** The mails of a report as they are stored, in the order in which they were claimed. */
  async mails(id: string): Promise<Row[]> {
    return (await this.#service.sql.query("select * from report_mails where report_id = $1 order by id", [id])).rows;
  }
}
