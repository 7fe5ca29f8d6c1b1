//===- GoPatterns.h - what files in Go have for every model ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "@name@" stands for what is known of a model: see Writer.h.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_GOPATTERNS_H
#define DLC_COMPILER_EMIT_BINDINGS_GOPATTERNS_H

namespace dlc::emit::bindings::go {

inline constexpr char life[] = R"(// Model is a model with its state. Close it where it is no longer needed.
type Model struct {
	mutex  sync.Mutex // held by the call that runs
	handle *C.struct_@model@
@kept@}

// New makes a model, whose initial parameters are @weights@, unless the options name a file. nil: the default options.
func New(options *Options) (*Model, error) {
	if options == nil {
		options = &Options{}
	}
	const errorBytes = 1000
	message := C.calloc(1, errorBytes)
	defer C.free(message)
	given := C.dlc_create_options{threads: C.int32_t(options.Threads), error: (*C.char)(message), error_bytes: errorBytes}
	given.struct_size = C.size_t(unsafe.Sizeof(given))
	if options.WeightsPath != "" {
		path, err := text("WeightsPath", options.WeightsPath)
		if err != nil {
			return nil, err
		}
		defer C.free(unsafe.Pointer(path))
		given.weights_path = path
	}
	if options.Device != "" {
		device, err := text("Device", options.Device)
		if err != nil {
			return nil, err
		}
		defer C.free(unsafe.Pointer(device))
		given.device = device
	}
	if options.Seed != nil {
		given.seed, given.use_seed = C.uint64_t(*options.Seed), 1
	}
	if options.CheckFinite {
		given.check_finite = 1
	}
	var handle *C.struct_@model@
	if status := C.@model@_create_checked(abiVersion, fingerprint, &given, &handle); status != 0 {
		return nil, failed(status, (*C.char)(message))
	}
	m := &Model{handle: handle}
	runtime.SetFinalizer(m, (*Model).Close)
	return m, nil
}

func failed(status C.dlc_status, sentence *C.char) error {
	message := C.GoString(sentence)
	if message == "" {
		message = fmt.Sprintf("@model@: status %d", status)
	}
	return &Error{Status(status), message}
}

// Close frees the model. It waits for a call that runs; later calls get StatusUnavailable.
func (m *Model) Close() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	C.@model@_destroy(m.handle)
	m.handle = nil
@forget@	runtime.SetFinalizer(m, nil)
	return nil
}

func (m *Model) begin(function string) error {
	if !m.mutex.TryLock() {
		return &Error{StatusBusy, "@model@: " + function + ": another goroutine is inside a call on this model"}
	}
	if m.handle == nil {
		m.mutex.Unlock()
		return &Error{StatusUnavailable, "@model@: " + function + ": the model is closed"}
	}
	return nil
}

// end also keeps the model from being closed by the garbage collector while C uses it.
func (m *Model) end() {
	m.mutex.Unlock()
	runtime.KeepAlive(m)
}

func (m *Model) check(status C.dlc_status) error {
	if status == 0 {
		return nil
	}
	if Status(status) == StatusBusy {
		return &Error{StatusBusy, "@busy sentence@"}
	}
	return failed(status, C.@model@_last_error(m.handle))
}

func (m *Model) call(function string, body func() C.dlc_status) error {
	if err := m.begin(function); err != nil {
		return err
	}
	defer m.end()
	return m.check(body())
}

// LastRemark is a sentence about tensors that the last New or Load has left out; "" if there were none.
func (m *Model) LastRemark() (string, error) {
	if err := m.begin("last_remark"); err != nil {
		return "", err
	}
	defer m.end()
	return C.GoString(C.@model@_last_remark(m.handle)), nil
}

)";

/// @function@ is save_to_memory or save_weights_to_memory.
inline constexpr char toMemory[] = R"(// @Method@ gives the bytes that @Saved@ would write.
func (m *Model) @Method@() ([]byte, error) {
	if err := m.begin("@function@"); err != nil {
		return nil, err
	}
	defer m.end()
	var needed C.size_t
	if err := m.check(C.@model@_@function@(m.handle, nil, 0, &needed)); err != nil {
		return nil, err
	}
	bytes := make([]byte, needed)
	if err := m.check(C.@model@_@function@(m.handle, unsafe.Pointer(&bytes[0]), needed, &needed)); err != nil {
		return nil, err
	}
	return bytes[:needed], nil
}

)";

inline constexpr char fromMemory[] = R"(// LoadFromMemory reads what SaveToMemory or SaveWeightsToMemory gave.
func (m *Model) LoadFromMemory(bytes []byte) error {
	if len(bytes) == 0 {
		return invalid("load_from_memory: there are no bytes")
	}
	return m.call("load_from_memory", func() C.dlc_status {
		return C.@model@_load_from_memory(m.handle, unsafe.Pointer(&bytes[0]), C.size_t(len(bytes)))
	})
}

// CopyState takes the state of another one of the same model, as if it had been saved there and loaded here.
func (m *Model) CopyState(from *Model) error {
	if err := m.begin("copy_state"); err != nil {
		return err
	}
	defer m.end()
	if from != m { // else C says what is wrong
		if err := from.begin("copy_state"); err != nil {
			return err
		}
		defer from.end()
	}
	return m.check(C.@model@_copy_state(m.handle, from.handle))
}

)";

/// @what@ is parameter or gradient.
inline constexpr char named[] = R"(// Read@What@ copies a whole @what@, by the name in Parameters.
func Read@What@[T Element](m *Model, name string, values []T) error {
	if err := known[T](@table@, name, len(values)); err != nil {
		return err
	}
	cName, err := text("the name", name)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(cName))
	bytes := C.size_t(len(values)) * C.size_t(unsafe.Sizeof(values[0]))
	return m.call("@what@_read", func() C.dlc_status {
		return C.@model@_@what@_read(m.handle, cName, unsafe.Pointer(&values[0]), bytes)
	})
}

// Write@What@ sets a whole @what@.
func Write@What@[T Element](m *Model, name string, values []T) error {
	if err := known[T](@table@, name, len(values)); err != nil {
		return err
	}
	cName, err := text("the name", name)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(cName))
	bytes := C.size_t(len(values)) * C.size_t(unsafe.Sizeof(values[0]))
	return m.call("@what@_write", func() C.dlc_status {
		return C.@model@_@what@_write(m.handle, cName, unsafe.Pointer(&values[0]), bytes)
	})
}

)";

inline constexpr char training[] = R"(// StepCount is the number of updates so far.
func (m *Model) StepCount() (int64, error) {
	var count int64
	err := m.call("step_count", func() C.dlc_status {
		count = int64(C.@model@_step_count(m.handle))
		return 0
	})
	return count, err
}

// keep copies what C reads after the call; forget frees it.
func keep[T any](kept *[]unsafe.Pointer, values []T) unsafe.Pointer {
	copied := C.malloc(C.size_t(len(values)) * C.size_t(unsafe.Sizeof(values[0])))
	copy(unsafe.Slice((*T)(copied), len(values)), values)
	*kept = append(*kept, copied)
	return copied
}

func forget(kept *[]unsafe.Pointer) {
	for _, copied := range *kept {
		C.free(copied)
	}
	*kept = nil
}

// TrainStepContinue goes on with the step that has begun, for about so many microseconds, at least with one piece of work.
// true: it is done, and Sync has its loss.
func (m *Model) TrainStepContinue(microseconds int64) (bool, error) {
	if err := m.begin("train_step_continue"); err != nil {
		return false, err
	}
	defer m.end()
	var done C.int32_t
	status := C.@model@_train_step_continue(m.handle, C.int64_t(microseconds), &done)
	if done != 0 {
		forget(&m.kept)
	}
	return done != 0 && status == 0, m.check(status)
}

)";

inline constexpr char hyperparameter[] = R"(// Set@Setting@ sets @setting@: @range@.
func (m *Model) Set@Setting@(value float64) error {
	return m.call("set_@setting@", func() C.dlc_status { return C.@model@_set_@setting@(m.handle, C.double(value)) })
}

// @Setting@ is the present value.
func (m *Model) @Setting@() (float64, error) {
	var value C.double
	err := m.call("get_@setting@", func() C.dlc_status { return C.@model@_get_@setting@(m.handle, &value) })
	return float64(value), err
}

)";

} // namespace dlc::emit::bindings::go

#endif // DLC_COMPILER_EMIT_BINDINGS_GOPATTERNS_H
