import { queueInsert } from "../../../core/database/write.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { TaskLink } from "../task-models.ts";
import { readLinkUrl } from "./link-url.ts";

/**
 * Adds a link to a task that the caller has locked.
 * @returns its id
 * @throws 422 on `url` for an unsafe address (work chapter §3.7, "Links")
 */
export const addLink = (taskId: string, { url, title }: { url: string; title?: string | null | undefined }): string =>
  queueInsert(TaskLink, { task_id: taskId, url: readLinkUrl(url), title: blankToNull(title) ?? null });
