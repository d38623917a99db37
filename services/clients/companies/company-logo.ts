import { isRewritten, rewritten } from "../../../core/files/picture.ts";
import { stageBytes } from "../../../core/files/staged-uploads.ts";
import { openStored } from "../../../core/files/storage.ts";
import { refusedFile, type Upload } from "../../../core/files/upload.ts";
import type { StagedUpload } from "../../../core/request/context.ts";

/** A logo's staged bytes. */
export type Logo = StagedUpload & { name: string; type: string };

/**
 * The stored picture of an uploaded logo: PNG, JPEG, WebP and GIF re-encoded without metadata, SVG and icons as sent.
 * @throws 422 `{file: errors.upload_type}` for a picture that is damaged or larger than 40 megapixels
 */
export async function logoOf(file: Upload): Promise<Logo> {
  if (!isRewritten(file.type)) return file;
  const { bytes } = await openStored(file);
  const picture = await rewritten(bytes, file.type);
  if (!picture) throw refusedFile("errors.upload_type");
  return { ...(await stageBytes(picture)), name: file.name, type: file.type };
}
