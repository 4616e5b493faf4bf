import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** A secret that the API has just made. */
export interface ShownSecret {
  secret: string;
  webhookId: string;
}

/** The secret that a webhook's messages are signed with. The API shows it this once. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="The secret of the webhook"
      actions={
        <>
          <CopyButton text={secret} name="the secret" label="Copy" />
          <Button look="primary" onClick={onClose}>
            I have stored it
          </Button>
        </>
      }
    >
      <p className="m-0 mb-3">
        The receiver verifies signatures with it. It is shown this once: afterwards it can only be renewed.
      </p>
      <code className="block rounded-sm bg-panel p-3 break-all select-all">{secret}</code>
    </Dialog>
  );
}
