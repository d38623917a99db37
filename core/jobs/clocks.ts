import type { Agenda } from "agenda";
import type { Definition } from "./definition.ts";

/** Updates the stored schedules to the declared ones. A run that became due while the service was down stays due. */
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
