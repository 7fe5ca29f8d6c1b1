//===- CSharpPatterns.h - what files in C# have for every model ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "@name@" stands for what is known of a model: see Writer.h.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_CSHARPPATTERNS_H
#define DLC_COMPILER_EMIT_BINDINGS_CSHARPPATTERNS_H

namespace dlc::emit::bindings::csharp {

inline constexpr char native[] = R"(    sealed class Handle : SafeHandle
    {
        internal Handle() : base(IntPtr.Zero, true) { }
        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }
        protected override bool ReleaseHandle() { Native.@model@_destroy(handle); return true; }
        internal void Take(IntPtr model) { SetHandle(model); }
    }

    static class Native
    {
        [StructLayout(LayoutKind.Sequential)]
        internal struct CreateOptions
        {
            internal UIntPtr StructSize;
            internal IntPtr WeightsPath;
            internal ulong Seed;
            internal int UseSeed, Threads;
            internal IntPtr Arena;
            internal UIntPtr ArenaBytes;
            internal int CheckFinite, Reserved;
            internal IntPtr Error;
            internal UIntPtr ErrorBytes;
            internal IntPtr Device;
        }

        const string Library = "@model@";
        [DllImport(Library)] internal static extern int @model@_create_checked(uint abiVersion, ulong fingerprint, ref CreateOptions options, out IntPtr model);
        [DllImport(Library)] internal static extern void @model@_destroy(IntPtr model);
        [DllImport(Library)] internal static extern IntPtr @model@_last_error(Handle model);
        [DllImport(Library)] internal static extern IntPtr @model@_last_remark(Handle model);
        [DllImport(Library)] internal static extern int @model@_save_to_memory(Handle model, byte[] buffer, UIntPtr bytes, out UIntPtr needed);
        [DllImport(Library)] internal static extern int @model@_save_weights_to_memory(Handle model, byte[] buffer, UIntPtr bytes, out UIntPtr needed);
        [DllImport(Library)] internal static extern int @model@_load_from_memory(Handle model, byte[] data, UIntPtr bytes);
        [DllImport(Library)] internal static extern int @model@_copy_state(Handle model, Handle from);
        [DllImport(Library)] internal static extern int @model@_parameter_read(Handle model, byte[] name, IntPtr buffer, UIntPtr bytes);
        [DllImport(Library)] internal static extern int @model@_parameter_write(Handle model, byte[] name, IntPtr buffer, UIntPtr bytes);
)";

inline constexpr char nativeTraining[] =
    R"(        [DllImport(Library)] internal static extern int @model@_gradient_read(Handle model, byte[] name, IntPtr buffer, UIntPtr bytes);
        [DllImport(Library)] internal static extern int @model@_gradient_write(Handle model, byte[] name, IntPtr buffer, UIntPtr bytes);
        [DllImport(Library)] internal static extern long @model@_step_count(Handle model);
        [DllImport(Library)] internal static extern int @model@_train_step_continue(Handle model, long microseconds, out int done);
)";

inline constexpr char life[] = R"(    /// <summary>A model with its state.</summary>
    public sealed class Model : IDisposable
    {
@constants@        /// <summary>All memory of parameters, optimizer state and intermediate values.</summary>
        public const long ArenaBytes = @arena@;
        const uint AbiVersion = @abi@;
        const ulong Fingerprint = @fingerprint@; // of names, shapes and dtypes

        /// <summary>All parameters and buffers.</summary>
        public static readonly IList<Parameter> Parameters = Array.AsReadOnly(new Parameter[] {
@parameters@        });
        internal static readonly IList<Parameter> gradients = Array.AsReadOnly(new Parameter[] {
@gradients@        });

        readonly Handle handle = new Handle();
        readonly object guard = new object(); // held by the call that runs

        /// <summary>Makes a model, whose initial parameters are @weights@, unless the options name a file.</summary>
        public Model(Options options = null)
        {
            options = options ?? new Options();
            byte[] error = new byte[1000];
            using (Pins pins = new Pins())
            {
                Native.CreateOptions given = new Native.CreateOptions();
                given.StructSize = (UIntPtr)(ulong)Marshal.SizeOf(typeof(Native.CreateOptions));
                given.WeightsPath = pins.Of(Checks.Text("WeightsPath", options.WeightsPath));
                given.Seed = options.Seed ?? 0;
                given.UseSeed = options.Seed.HasValue ? 1 : 0;
                given.Threads = options.Threads;
                given.CheckFinite = options.CheckFinite ? 1 : 0;
                given.Error = pins.Of(error);
                given.ErrorBytes = (UIntPtr)(ulong)error.Length;
                given.Device = pins.Of(Checks.Text("Device", options.Device));
                IntPtr model;
                int status = Native.@model@_create_checked(AbiVersion, Fingerprint, ref given, out model);
                handle.Take(model);
                if (status != 0) throw Failure(status, given.Error);
            }
        }

        static ModelException Failure(int status, IntPtr sentence)
        {
            string message = Checks.Sentence(sentence);
            return new ModelException((Status)status, message == "" ? "@model@: " + (Status)status : message);
        }

        /// <summary>Frees the model; it waits for a call that runs.</summary>
        public void Dispose() { lock (guard) { handle.Dispose();@forget@ } }

        void Enter(string function)
        {
            if (!Monitor.TryEnter(guard))
                throw new ModelException(Status.Busy, "@model@: " + function + ": another thread is inside a call on this model");
            if (!handle.IsClosed) return;
            Monitor.Exit(guard);
            throw new ObjectDisposedException("@model@");
        }

        void Leave() { Monitor.Exit(guard); }

        void Raise(int status)
        {
            if (status == (int)Status.Busy) throw new ModelException(Status.Busy, "@busy sentence@");
            if (status != 0) throw Failure(status, Native.@model@_last_error(handle));
        }

        /// <summary>A sentence about tensors that the constructor or the last Load has left out; empty if there were none.</summary>
        public string LastRemark
        {
            get { Enter("last_remark"); try { return Checks.Sentence(Native.@model@_last_remark(handle)); } finally { Leave(); } }
        }

)";

/// A call of C, of which arrays are pinned.
inline constexpr char calling[] =
    R"(            try { using (Pins pins = new Pins()) Raise(Native.@model@_@step@(handle@passed@)); } finally { Leave(); }
)";

/// The same where copies of them stay pinned.
inline constexpr char keeping[] = R"(            Pins pins = new Pins();
            try
            {
                Raise(Native.@model@_@step@(handle@passed@));
                kept = pins;
            }
            catch
            {
                pins.Dispose();
                throw;
            }
            finally { Leave(); }
)";

/// @function@ is save_to_memory or save_weights_to_memory.
inline constexpr char toMemory[] = R"(        /// <summary>The bytes that @Saved@ would write.</summary>
        public byte[] @Method@()
        {
            Enter("@function@");
            try
            {
                UIntPtr needed;
                Raise(Native.@model@_@function@(handle, null, UIntPtr.Zero, out needed));
                byte[] bytes = new byte[(long)needed];
                Raise(Native.@model@_@function@(handle, bytes, (UIntPtr)(ulong)bytes.LongLength, out needed));
                return bytes;
            }
            finally { Leave(); }
        }

)";

inline constexpr char fromMemory[] =
    R"(        /// <summary>Reads what SaveToMemory or SaveWeightsToMemory gave.</summary>
        public void LoadFromMemory(byte[] bytes)
        {
            if (bytes == null) throw new ArgumentNullException("bytes");
            Enter("load_from_memory");
            try { Raise(Native.@model@_load_from_memory(handle, bytes, (UIntPtr)(ulong)bytes.LongLength)); } finally { Leave(); }
        }

        /// <summary>Takes the state of another one of the same model, as if it had been saved there and loaded here.</summary>
        public void CopyState(Model from)
        {
            if (from == null) throw new ArgumentNullException("from");
            Enter("copy_state");
            try
            {
                from.Enter("copy_state");
                try { Raise(Native.@model@_copy_state(handle, from.handle)); } finally { from.Leave(); }
            }
            finally { Leave(); }
        }

        static byte[] Given(string what, string text)
        {
            if (text == null) throw new ArgumentNullException(what);
            return Checks.Text("the " + what, text);
        }

        static UIntPtr Bytes<T>(T[] values) { return (UIntPtr)((ulong)values.LongLength * (ulong)Marshal.SizeOf(typeof(T))); }

)";

/// @what@ is parameter or gradient.
inline constexpr char named[] =
    R"(        /// <summary>Copies a whole @what@, by the name in Parameters.</summary>
        public void Read@What@<T>(string name, T[] values) where T : struct
        {
            Checks.Known(@table@, name, values);
            Enter("@what@_read");
            try
            {
                using (Pins pins = new Pins())
                    Raise(Native.@model@_@what@_read(handle, Checks.Text("the name", name), pins.Of(values), Bytes(values)));
            }
            finally { Leave(); }
        }

        /// <summary>Sets a whole @what@.</summary>
        public void Write@What@<T>(string name, T[] values) where T : struct
        {
            Checks.Known(@table@, name, values);
            Enter("@what@_write");
            try
            {
                using (Pins pins = new Pins())
                    Raise(Native.@model@_@what@_write(handle, Checks.Text("the name", name), pins.Of(values), Bytes(values)));
            }
            finally { Leave(); }
        }

)";

inline constexpr char training[] =
    R"(        /// <summary>Updates of the parameters so far.</summary>
        public long StepCount
        {
            get { Enter("step_count"); try { return Native.@model@_step_count(handle); } finally { Leave(); } }
        }

        Pins kept = new Pins(); // copies of the inputs of a step in slices

        /// <summary>Goes on with the step that has begun, for about so many microseconds, at least with one piece of work. True:
        /// it is done, and Sync has its loss.</summary>
        public bool TrainStepContinue(long microseconds)
        {
            Enter("train_step_continue");
            try
            {
                int done;
                int status = Native.@model@_train_step_continue(handle, microseconds, out done);
                if (done != 0) kept.Dispose();
                Raise(status);
                return done != 0;
            }
            finally { Leave(); }
        }

)";

inline constexpr char hyperparameter[] = R"(        /// <summary>@range@.</summary>
        public double @Setting@
        {
            get
            {
                double value;
                Enter("get_@setting@"); try { Raise(Native.@model@_get_@setting@(handle, out value)); } finally { Leave(); }
                return value;
            }
            set { Enter("set_@setting@"); try { Raise(Native.@model@_set_@setting@(handle, value)); } finally { Leave(); } }
        }

)";

} // namespace dlc::emit::bindings::csharp

#endif // DLC_COMPILER_EMIT_BINDINGS_CSHARPPATTERNS_H
