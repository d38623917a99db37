import type { Agenda } from "agenda";
import type { Definition } from "./definition.ts";

/** Brings the schedules in the table to what is declared. One that is due since the service was down stays due. */
export async function setClocks(agenda: Agenda, definitions: readonly Definition[]): Promise<void> {
  const { jobs } = await agenda.queryJobs({ names: definitions.map(({ name }) => name) });
  const set = new Map(jobs.flatMap((job) => (job.type === "single" ? [[job.name, job] as const] : [])));
  for (const { name, schedule } of definitions) {
    const current = set.get(name);
    if (schedule === null && current) await agenda.cancel({ id: current._id as string });
    if (schedule !== null && current?.repeatInterval !== schedule)
      await agenda.every(schedule, name, undefined, { timezone: "UTC" });
  }
}
