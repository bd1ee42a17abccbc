/**
 * Every migration, in the order in which they run. The schema that a released migration makes never changes.
 */
import { conversions } from "./Conversions.ts"
import { blobHolds } from "./BlobHolds.ts"
import { captions } from "./Captions.ts"
import { captionUsage } from "./CaptionUsage.ts"
import { fileTypes } from "./files/FileTypes.ts"
import { conversionTurns } from "./conversions/ConversionTurns.ts"
import { creators } from "./Creators.ts"
import { events } from "./Events.ts"
import { damage } from "./Damage.ts"
import { contentPosters } from "./ContentPosters.ts"
import { deployment } from "./Deployment.ts"
import { folderJobs } from "./FolderJobs.ts"
import { hookTasks } from "./hooks/HookTasks.ts"
import { initial } from "./Initial.ts"
import { interruptions } from "./conversions/Interruptions.ts"
import { checksums } from "./files/Checksums.ts"
import { ladders } from "./conversions/Ladders.ts"
import { makers } from "./conversions/Makers.ts"
import { keys } from "./files/Keys.ts"
import { change, type Migration } from "./Migration.ts"
import { mirrorIndexes } from "./mirrors/MirrorIndexes.ts"
import { mirrorTimes } from "./mirrors/MirrorTimes.ts"
import { mirrors } from "./mirrors/Mirrors.ts"
import { posters } from "./conversions/Posters.ts"
import { quotas } from "./Quotas.ts"
import { reachedLimits } from "./ReachedLimits.ts"
import { removals } from "./Removals.ts"
import { publicBuckets } from "./access/PublicBuckets.ts"
import { s3Secrets } from "./access/S3Secrets.ts"
import { tokenAccounts } from "./access/TokenAccounts.ts"
import { tokenOrigins } from "./access/TokenOrigins.ts"
import { tokenScopes } from "./access/TokenScopes.ts"
import { contentDigests } from "./uploads/ContentDigests.ts"
import { replacingUploads } from "./uploads/ReplacingUploads.ts"
import { shareUploads } from "./uploads/ShareUploads.ts"
import { uploadClients } from "./uploads/UploadClients.ts"
import { uploadLinks } from "./uploads/UploadLinks.ts"
import { uploads } from "./uploads/Uploads.ts"
import { sharedFiles } from "./conversions/SharedFiles.ts"
import { sharePasswords } from "./access/SharePasswords.ts"
import { shareExpiry } from "./access/ShareExpiry.ts"
import { shares } from "./access/Shares.ts"
import { usage } from "./Usage.ts"
import { webhooks } from "./Webhooks.ts"

export const migrations: ReadonlyArray<Migration> = [
  { id: 1, name: "initial", steps: [change(initial)] },
  { id: 2, name: "conversions", steps: [change(conversions)] },
  { id: 3, name: "mirrors", steps: [change(mirrors)] },
  { id: 4, name: "mirror_times", steps: mirrorTimes },
  { id: 5, name: "creators", steps: creators },
  { id: 6, name: "mirror_indexes", steps: mirrorIndexes },
  { id: 7, name: "file_types", steps: fileTypes },
  { id: 8, name: "conversion_turns", steps: conversionTurns },
  { id: 9, name: "removals", steps: removals },
  { id: 10, name: "interruptions", steps: interruptions },
  { id: 11, name: "damage", steps: damage },
  { id: 12, name: "deployment", steps: deployment },
  { id: 13, name: "blob_holds", steps: blobHolds },
  { id: 14, name: "events", steps: events },
  { id: 15, name: "quotas", steps: quotas },
  { id: 16, name: "usage", steps: usage },
  { id: 17, name: "webhooks", steps: webhooks },
  { id: 19, name: "reached_limits", steps: reachedLimits },
  { id: 23, name: "token_scopes", steps: tokenScopes },
  { id: 24, name: "token_origins", steps: tokenOrigins },
  { id: 25, name: "public_buckets", steps: publicBuckets },
  { id: 26, name: "shares", steps: shares },
  { id: 28, name: "folder_jobs", steps: folderJobs },
  { id: 30, name: "uploads", steps: uploads },
  { id: 31, name: "content_digests", steps: contentDigests },
  { id: 35, name: "hook_tasks", steps: hookTasks },
  { id: 38, name: "share_expiry", steps: shareExpiry },
  { id: 41, name: "s3_secrets", steps: s3Secrets },
  { id: 43, name: "keys", steps: keys },
  { id: 46, name: "checksums", steps: checksums },
  { id: 47, name: "upload_links", steps: uploadLinks },
  { id: 48, name: "replacing_uploads", steps: replacingUploads },
  { id: 49, name: "captions", steps: captions },
  { id: 52, name: "posters", steps: posters },
  { id: 53, name: "ladders", steps: ladders },
  { id: 54, name: "content_posters", steps: contentPosters },
  // An id only names a migration: this one needs the table of `captions`.
  { id: 44, name: "caption_usage", steps: captionUsage },
  { id: 55, name: "conversion_makers", steps: makers },
  { id: 59, name: "shared_files", steps: sharedFiles },
  { id: 60, name: "token_accounts", steps: tokenAccounts },
  { id: 61, name: "share_passwords", steps: sharePasswords },
  { id: 62, name: "share_uploads", steps: shareUploads },
  { id: 63, name: "upload_clients", steps: uploadClients }
]
