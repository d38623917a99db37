import { isDeepStrictEqual } from "node:util";
import { queueUpdate } from "../../../core/database/write.ts";
import { cleanName } from "../../../core/files/file-name.ts";
import { keepFile, removeFile } from "../../../core/files/files.ts";
import { stageBytes } from "../../../core/files/staged-uploads.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { trail } from "../../../core/trail/trail.ts";
import { pdfOf } from "../../../mixins/documents/printing/pdf.ts";
import { gatherSections } from "../gathering/gather.ts";
import { Report, type ReportRow } from "../models.ts";
import { ruledSummary } from "../prose/summary.ts";
import { writeProse } from "../prose/write-prose.ts";
import { lookOf, reportHtml } from "../rendering/report-document.ts";
import { editedTexts } from "../reports/edited-texts.ts";
import { publishReport } from "../reports/publishing.ts";
import { eventOf, kindOf } from "../reports/report-kind.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { offeredSections } from "../sections/catalogue.ts";
import { arrangedSections, sectionsFor } from "../sections/layout.ts";
import { SUMMARY } from "../sections/summary.ts";
import { notifyResponsible } from "../sending/notify-responsible.ts";
import { sendReport } from "../sending/send-report.ts";
import type { ReportWarning, Snapshot } from "../snapshot.ts";
import { HOUSE_TONE } from "../tones/house-tone.ts";
import type { RunPayload } from "./queue-reports.ts";
import { failReport, heldReport, OVER, profileOf, scheduleOf, templateOf, toneOf } from "./run-rows.ts";

export type ReportRun = OrganisationRun<RunPayload>;
/** One step of a run: it stores its result and its name before the next one starts. Repeating it after a crash is harmless. */
export type RunStep = (run: ReportRun, report: ReportRow) => Promise<void>;

/** Stores a step's result. @throws RunLost */
const stored = (run: ReportRun, step: string, values: Partial<ReportRow>): Promise<void> =>
  run.write(async () => {
    const { id } = await heldReport(run.payload);
    queueUpdate(Report, id, { ...values, run_step: step } as Parameters<typeof queueUpdate<typeof Report, object>>[2]);
  });

const spansOf = ({ period_start, period_end, compare_start, compare_end }: ReportRow) => ({
  span: { start: period_start, end: period_end },
  compared: { start: compare_start, end: compare_end },
});

/** Gathers each section's figures; without any the run fails. */
const gatherFigures: RunStep = async (run, report) => {
  const { audience, company_id, locale } = report;
  const result = await run.read(async () => {
    const [profile, template] = [await profileOf(report), await templateOf(report)];
    const offered = sectionsFor(offeredSections(), audience);
    const byKey = new Map(offered.map((section) => [section.key, section]));
    const sections = arrangedSections(offered, template?.layout ?? { sections: [] }, profile?.sections ?? {}).flatMap(
      ({ key, labels }) => {
        const section = byKey.get(key);
        return section ? [{ key, load: section.load, heading: labels[locale]?.trim() || section.title[locale] }] : [];
      },
    );
    if (company_id === null) return { sections: [], warnings: [] };
    return gatherSections({
      company: company_id,
      audience,
      locale,
      ...spansOf(report),
      sections: sections.map(({ load, ...rest }) => ({ ...rest, ...(load && { load }) })),
      onFailure: (key, error) =>
        run.logger.warn(
          { event: "reporting.section_not_gathered", report: report.id, section: key, error: (error as Error).message },
          "a section could not be gathered",
        ),
    });
  });
  if (result.sections.length > 0) return stored(run, "gather", { gathered: result.sections, warnings: result.warnings });
  const reasons: ReportWarning[] = [...result.warnings, { code: "no_data", detail: null }];
  await run.write(async () => failReport(await heldReport(run.payload), reasons));
};

/** Freezes every figure of the new document, and removes the outdated document and the texts about its figures. */
const freeze: RunStep = async (run, report) => {
  const sections = report.gathered ?? [];
  const data_snapshot: Snapshot = {
    locale: report.locale,
    audience: report.audience,
    client: report.company_name,
    ...spansOf(report),
    sections,
  };
  const look = await run.read(async () => lookOf(run.organisation, (await templateOf(report)) ?? null, await toneOf(report)));
  await run.write(async () => {
    const held = await heldReport(run.payload);
    if (held.pdf_file_id !== null) removeFile(held.pdf_file_id);
    queueUpdate(Report, held.id, {
      data_snapshot,
      narrative: editedTexts(held),
      look,
      sections: sections.map(({ key, title }) => ({ key, title })),
      gathered: null,
      pdf_file_id: null,
      run_step: "freeze",
    });
  });
};

/** The summary by rules, for a report whose summary neither the model nor a person wrote; none if the report prints no summary. */
async function missingSummary(
  run: ReportRun,
  report: ReportRow,
  snapshot: Snapshot,
  narrative: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  if (Object.hasOwn(narrative, SUMMARY) || !snapshot.sections.some(({ key }) => key === SUMMARY)) return {};
  const text = ruledSummary(snapshot, (await run.read(() => toneOf(report))) ?? HOUSE_TONE[report.locale]);
  return text === "" ? {} : { [SUMMARY]: text };
}

/**
 * Has the model write the texts that no person wrote, and rules the summary if the model wrote none. A repetition in this run reuses the
 * stored answer instead of paying twice.
 */
const writeTexts: RunStep = async (run, report) => {
  const snapshot = report.data_snapshot as Snapshot;
  const about = { id: report.id, run_id: run.payload.run_id };
  const sectionKeys = snapshot.sections.flatMap(({ key }) => (report.edited_sections.includes(key) ? [] : [key]));
  const { narrative, warnings } =
    sectionKeys.length === 0
      ? { narrative: {}, warnings: [] }
      : await run.read(() =>
          writeProse((name, parameters) => run.call(name, parameters), { report: about, snapshot, sectionKeys }),
        );
  const summary = await missingSummary(run, report, snapshot, narrative);
  await run.write(async () => {
    const held = await heldReport(run.payload);
    queueUpdate(Report, held.id, {
      narrative: { ...summary, ...narrative, ...editedTexts(held) },
      warnings: [...held.warnings, ...warnings],
      run_step: "prose",
    });
  });
};

/** Renders the document once, so that a chart that cannot be drawn fails the run instead of leaving a gap in the PDF. */
const draw: RunStep = async (run, report) => {
  await run.read(() => reportHtml(report));
  await stored(run, "draw", {});
};

/** Prints the document. If a text changed meanwhile, it prints again. */
const print: RunStep = async (run, report) => {
  const bytes = await pdfOf(await run.read(() => reportHtml(report)), run.organisation.id);
  await run.write(async () => {
    const staged = await stageBytes(bytes);
    const { id, narrative, pdf_file_id, audience, title, company_name } = await heldReport(run.payload);
    if (!isDeepStrictEqual(narrative, report.narrative)) return queueUpdate(Report, id, { run_step: "prose" });
    if (pdf_file_id !== null) removeFile(pdf_file_id);
    const name = cleanName(`${title} - ${company_name}.pdf`);
    const file = await keepFile({ ...staged, name, type: "application/pdf" }, { entityType: kindOf(audience), entityId: id });
    queueUpdate(Report, id, { pdf_file_id: file, run_step: "pdf" });
  });
};

const makeReady: RunStep = (run) =>
  run.write(async () => {
    const { id, audience, sent_at } = await heldReport(run.payload);
    queueUpdate(Report, id, { status: sent_at === null ? "ready" : "sent", run_step: "ready" });
    trail(kindOf(audience), id, "ready");
  });

/** Publishes a client's report in the portal, if the schedule says so. One that was withdrawn, and a correction, wait for a person. */
const publish: RunStep = (run) =>
  run.write(async () => {
    const report = await heldReport(run.payload);
    const isDue = report.audience === "client" && !run.payload.prints_only && !report.is_held;
    if (isDue && (await scheduleOf(report)).publish_to_portal) publishReport(report);
    queueUpdate(Report, report.id, { run_step: "publish" });
  });

/** The schedule by which a run mails its report: once, and never a correction or after manual changes; null if it mails none. */
async function mailingSchedule(run: ReportRun, report: ReportRow): Promise<Schedule | null> {
  const { audience, sent_at, revision } = report;
  if (audience !== "client" || run.payload.prints_only || sent_at !== null || revision > 1) return null;
  const schedule = await run.read(() => scheduleOf(report));
  return schedule.delivery === "auto" ? schedule : null;
}

/** Mails a report if its schedule says so, and ends the run. If mailing fails, the report stays ready. */
const mailAndEnd: RunStep = async (run, report) => {
  const failures: ReportWarning[] = [];
  const schedule = await mailingSchedule(run, report);
  const isWhole = !report.warnings.some(({ code }) => code === "section_failed");
  if (schedule && isWhole) {
    try {
      const wish = { publish: schedule.publish_to_portal };
      await run.read(() => sendReport((name, parameters) => run.call(name, parameters), report, wish));
    } catch (error) {
      run.logger.warn(
        { event: "reporting.report_not_mailed", report: report.id, error: (error as Error).message },
        "a report could not be mailed",
      );
      failures.push({ code: "send_failed", detail: null });
    }
  }
  await run.write(async () => {
    const held = await heldReport(run.payload);
    const warnings = [...held.warnings, ...failures];
    queueUpdate(Report, held.id, { ...OVER, warnings });
    emit("report.ready", "report", held.id, { ...eventOf(held), warning_count: warnings.length });
    if (schedule && !isWhole) await notifyResponsible(held, "section_failed");
  });
};

/** The steps of a run in order, by their stored names (workspace-reporting §1.5 "Run order"). */
export const RUN_STEPS: readonly (readonly [name: string, step: RunStep])[] = [
  ["gather", gatherFigures],
  ["freeze", freeze],
  ["prose", writeTexts],
  ["draw", draw],
  ["pdf", print],
  ["ready", makeReady],
  ["publish", publish],
  ["mail", mailAndEnd],
];
