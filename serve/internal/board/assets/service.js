// Calls of the service: plain JSON over HTTP.

export class Refusal extends Error {
  constructor(status, body) {
    super(body.message || `the service answered ${status}`);
    const detail = (body.details ?? []).find(d => d.type === 'pcd.v1.Refusal')?.debug ?? {};
    Object.assign(this, { status, code: body.code, reasons: detail.reasons ?? [], remedy: detail.remedy ?? '' });
  }
}

export async function call(name, request, service = 'PlanService', signal) {
  const headers = { 'Content-Type': 'application/json' };
  const token = sessionStorage.getItem('token');
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(`/pcd.v1.${service}/${name}`, { method: 'POST', headers, body: JSON.stringify(request), signal });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, body);
  return body;
}

export function bytes(base64) { return Uint8Array.from(atob(base64), c => c.charCodeAt(0)); }

export async function base64(file) {
  let text = '';
  for (const b of new Uint8Array(await file.arrayBuffer())) text += String.fromCharCode(b);
  return btoa(text);
}

export function download(name, content, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
