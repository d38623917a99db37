import { isFolder, type ListedFile, listPage, readFile } from "./drive-files.ts";
import { browsing } from "./drive-query.ts";
import type { OwnDrive } from "./drive-refusals.ts";
import { asking } from "./drive-refusals.ts";
import { cachedListing, cacheListing, type Listed } from "./listing-cache.ts";

const shown = (file: ListedFile): Listed["items"][number] => ({
  id: file.id,
  is_folder: isFolder(file),
  mime_type: file.mimeType,
  modified_at: file.modifiedTime,
  name: file.name,
  size: file.size,
  web_view_link: file.webViewLink,
});

/**
 * The content of a folder as the caller sees it at the provider (workspace §2.4).
 * @param refresh whether to ignore a cached answer
 * @throws 404, 409, 502
 */
export async function browseFolder(
  { connection, access }: OwnDrive,
  folderId: string,
  term: string | null,
  refresh: boolean,
): Promise<Listed> {
  const asked = { connection, folderId, term };
  const cached = refresh ? undefined : await cachedListing(asked);
  if (cached) return cached;
  const listed = await asking(async () => {
    const folder = await readFile(access, folderId);
    const { files, next, isIncomplete } = await listPage(access, folder, {
      q: browsing(folder.id, term),
      orderBy: "folder,name",
    });
    return {
      folder: { id: folder.id, name: folder.name, web_view_link: folder.webViewLink },
      items: files.map(shown),
      query: term,
      truncated: next !== null || isIncomplete,
    };
  });
  await cacheListing(asked, listed);
  return listed;
}
