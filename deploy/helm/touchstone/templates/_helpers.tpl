{{- define "touchstone.name" -}}
{{- $name := ternary .Release.Name (printf "%s-touchstone" .Release.Name) (contains "touchstone" .Release.Name) -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* The services that own a schema, and whom each service calls over HTTP. */}}
{{- define "touchstone.owners" -}}auth ingest eval-runs judge monitor{{- end -}}
{{- define "touchstone.calls" -}}
gateway: [auth, ingest, eval-runs, monitor, dropin]
judge: [auth]
eval-runs: [ingest]
monitor: [ingest]
dropin: [auth, ingest, eval-runs, monitor]
{{- end -}}

{{/* Whether a service uses NATS; argument: its name. */}}
{{- define "touchstone.usesBus" -}}{{- if ne . "dropin" -}}yes{{- end -}}{{- end -}}

{{/* Selects pods; arguments: root, component. */}}
{{- define "touchstone.selector" -}}
app.kubernetes.io/name: touchstone
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "touchstone.labels" -}}
{{ include "touchstone.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "touchstone.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The key of a service's own password: as deploy/init-env.sh names it. Arguments: prefix, service, suffix. */}}
{{- define "touchstone.ownKey" -}}
{{ .prefix }}{{ .service | upper | replace "-" "_" }}{{ .suffix }}
{{- end -}}

{{- define "touchstone.hasOwnLogins" -}}
{{- if not (regexMatch "^[a-z]+://[^/]*@" .Values.postgres.url) -}}yes{{- end -}}
{{- end -}}

{{/* The PostgreSQL URL of a service. Arguments: root, service. */}}
{{- define "touchstone.databaseUrl" -}}
{{- $url := .root.Values.postgres.url -}}
{{- if include "touchstone.hasOwnLogins" .root -}}
{{- regexReplaceAll "^([a-z]+://)" $url (printf "${1}touchstone_%s@" (replace "-" "_" .service)) -}}
{{- else -}}{{ $url }}{{- end -}}
{{- end -}}

{{/* One variable from the Secret. Arguments: root, name, key, optional. */}}
{{- define "touchstone.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.secrets.existing }}
      key: {{ .key }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end -}}

{{/* The password of a service's database. Arguments: root, service. */}}
{{- define "touchstone.databasePassword" -}}
{{- $own := include "touchstone.ownKey" (dict "prefix" "" "service" .service "suffix" "_DB_PASSWORD") -}}
{{- $key := ternary $own "SERVICE_DB_PASSWORD" (eq (include "touchstone.hasOwnLogins" .root) "yes") -}}
{{ include "touchstone.secretVariable" (dict "root" .root "name" "SERVICE_DB_PASSWORD" "key" $key) }}
{{- end -}}

{{/* A value of `settings` as text: YAML reads on and off as booleans, and Helm reads numbers as floats. */}}
{{- define "touchstone.settingText" -}}
{{- if kindIs "bool" .value -}}
{{- if has "on" (.known.values | default list) -}}{{ ternary "on" "off" .value }}{{- else -}}{{ .value }}{{- end -}}
{{- else if and (kindIs "float64" .value) (eq (floor .value) .value) -}}{{ int64 .value }}
{{- else -}}{{ toString .value }}{{- end -}}
{{- end -}}

{{/* All settings of a service that are no secrets, as YAML. Arguments: root, service. */}}
{{- define "touchstone.settings" -}}
{{- $root := .root -}}
{{- $service := .service -}}
{{- $name := include "touchstone.name" $root -}}
{{- $known := $root.Files.Get "files/settings.json" | fromJson -}}
{{- $all := dict "PORT" "4700" "SERVICE_HOST" "0.0.0.0" "SERVICE_NATS_USER" $service -}}
{{- $_ := set $all "SERVICE_NATS_URL" $root.Values.nats.url -}}
{{- $_ := set $all "SERVICE_NATS_REPLICAS" (toString $root.Values.nats.replicas) -}}
{{- if $root.Values.nats.tlsSecret -}}
{{- range $setting, $file := dict "CA" "ca.crt" "CERT" "tls.crt" "KEY" "tls.key" -}}
{{- $_ := set $all (printf "SERVICE_NATS_%s" $setting) (printf "/etc/touchstone/nats/%s" $file) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $all "SERVICE_PUBLIC_URL" $root.Values.publicUrl -}}
{{- range list "auth" "ingest" "eval-runs" "monitor" "dropin" -}}
{{- $_ := set $all (printf "SERVICE_%s_URL" (. | upper | replace "-" "_")) (printf "http://%s-%s:4700" $name .) -}}
{{- end -}}
{{- if has $service (splitList " " (include "touchstone.owners" $root)) -}}
{{- $_ := set $all "SERVICE_DB_URL" (include "touchstone.databaseUrl" .) -}}
{{- $_ := set $all "SERVICE_MIGRATE" (ternary "off" "on" $root.Values.migrations.enabled) -}}
{{- end -}}
{{- with $root.Values.redis.url -}}{{- $_ := set $all "SERVICE_REDIS_URL" . -}}{{- end -}}
{{- if $root.Values.redis.tlsSecret -}}
{{- range $setting, $file := dict "CA" "ca.crt" "CERT" "tls.crt" "KEY" "tls.key" -}}
{{- $_ := set $all (printf "SERVICE_REDIS_%s" $setting) (printf "/etc/touchstone/redis/%s" $file) -}}
{{- end -}}
{{- end -}}
{{- if eq $service "gateway" -}}
{{- /* Load balancers notice within 10 s that a gateway is not ready; until then it accepts connections. */ -}}
{{- $_ := set $all "SERVICE_STOP_ANNOUNCE_SECONDS" "10" -}}
{{- $_ := set $all "SERVICE_STOP_SECONDS" "30" -}}
{{- $_ := set $all "SERVICE_PRINT_KEY" "false" -}}
{{- end -}}
{{- range $setting, $value := $root.Values.settings -}}
{{- $_ := set $all $setting (include "touchstone.settingText" (dict "value" $value "known" (get $known $setting))) -}}
{{- end -}}
{{- /* Pods of this cluster may call the gateway by the name of its Service. */ -}}
{{- $hosts := list -}}
{{- with get $all "SERVICE_ALLOWED_HOSTS" -}}{{- $hosts = list . -}}{{- end -}}
{{- range list "" (printf ".%s" $root.Release.Namespace) (printf ".%s.svc" $root.Release.Namespace) (printf ".%s.svc.cluster.local" $root.Release.Namespace) -}}
{{- $hosts = append $hosts (printf "%s-gateway%s" $name .) -}}
{{- end -}}
{{- $_ := set $all "SERVICE_ALLOWED_HOSTS" (join "," $hosts) -}}
{{- range $setting, $value := $all -}}
{{- if has $service (get $known $setting).readers }}
{{ $setting }}: {{ $value | quote }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* How long a service may take to stop. Arguments: root, service. */}}
{{- define "touchstone.stopSeconds" -}}
{{- $settings := include "touchstone.settings" . | fromYaml -}}
{{- get $settings "SERVICE_STOP_SECONDS" | default "30" -}}
{{- end -}}

{{- define "touchstone.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "touchstone.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Where pods run and what they may do; the same for services, migrations and tests. */}}
{{- define "touchstone.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "touchstone.podSecurity" . | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{- define "touchstone.caVariable" -}}
{{- if .Values.caSecret }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/touchstone/ca/ca.crt
{{- end }}
{{- end -}}

{{/* Arguments: root, tmp. */}}
{{- define "touchstone.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: {{ .tmp }} }
{{- with .root.Values.caSecret }}
- name: ca
  secret: { secretName: {{ . }} }
{{- end }}
{{- end -}}

{{- define "touchstone.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .Values.caSecret }}
- { name: ca, mountPath: /etc/touchstone/ca, readOnly: true }
{{- end }}
{{- end -}}

{{/* The port that a URL names, or that its protocol has; argument: the URL. */}}
{{- define "touchstone.portOf" -}}
{{- $given := regexFind ":[0-9]+(/|\\?|,|$)" . | trimAll ":/?," -}}
{{- if $given -}}{{ $given }}
{{- else if hasPrefix "https://" . -}}443
{{- else if hasPrefix "http://" . -}}80
{{- end -}}
{{- end -}}

{{/* Peers of a NetworkPolicy: all addresses, without those at which clouds hand credentials to machines. */}}
{{- define "touchstone.outside" -}}
- ipBlock: { cidr: 0.0.0.0/0, except: [169.254.0.0/16] }
- ipBlock: { cidr: "::/0", except: ["fd00:ec2::254/128"] }
{{- end -}}
